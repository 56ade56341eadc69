import { readFile } from 'node:fs/promises';
import { join } from 'node:path';

const files = ['grafana-dashboard.json', 'alert-rules.yaml'];

/** What a histogram adds to its name. */
const parts = /_(bucket|sum|count)$/;

/**
 * Names of the series that dashboard and alert rules of `deploy/monitoring` use, those of histograms without what a part adds.
 * @param pattern of the names, from their beginning
 */
export async function monitoredSeries(root: string, pattern: RegExp): Promise<string[]> {
  const texts = await Promise.all(files.map((file) => readFile(join(root, 'deploy', 'monitoring', file), 'utf8')));
  const expressions = texts.flatMap((text) =>
    [...text.matchAll(/"?expr"?: (.*)/g)].map(([, expression]) => expression),
  );
  const names = expressions.flatMap((expression = '') => expression.match(/[a-zA-Z]+(_[a-zA-Z0-9]+)+/g) ?? []);
  const own = names.filter((name) => pattern.test(name)).map((name) => name.replace(parts, ''));
  return [...new Set(own)].sort();
}
