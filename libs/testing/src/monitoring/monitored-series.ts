import { readFile } from 'node:fs/promises';
import { join } from 'node:path';

const files = ['grafana-dashboard.json', 'alert-rules.yaml'];

/** Suffixes that a histogram adds to its name. */
const parts = /_(bucket|sum|count)$/;

/**
 * Names of the series that dashboard and alert rules in `deploy/monitoring` use; histograms without their suffixes.
 * @param pattern matches the beginning of the names
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
