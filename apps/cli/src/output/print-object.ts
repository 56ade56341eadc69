import { AppError } from '@lateen/errors';
import type { KubeObject } from '@lateen/kube';
import { dump } from 'js-yaml';

export const outputFormats = ['table', 'json', 'yaml', 'name'] as const;
/** Formats of commands that print a table. */
export const tableFormats = ['table', 'wide', 'json', 'yaml', 'name'] as const;
export type OutputFormat = (typeof outputFormats)[number];
export type TableFormat = (typeof tableFormats)[number];

/** @throws AppError BAD_FLAG naming the formats */
export function parseOutputFormat(text: string): OutputFormat {
  return parseFormat(text, outputFormats);
}

/** As {@link parseOutputFormat}, with `wide`. */
export function parseTableFormat(text: string): TableFormat {
  return parseFormat(text, tableFormats);
}

function parseFormat<T extends string>(text: string, formats: readonly T[]): T {
  const found = formats.find((format) => format === text);
  if (found === undefined)
    throw new AppError('BAD_FLAG', `--output "${text}" is not a format`, {
      nextStep: `Use one of ${formats.join(', ')}.`,
    });
  return found;
}

/** An object, or a list of objects as the API would return it, as text that ends with a line break. */
export function printObjects(
  objects: readonly KubeObject[],
  format: Exclude<OutputFormat, 'table'>,
  asList: boolean,
): string {
  if (format === 'name') return objects.map((each) => `${each.kind.toLowerCase()}/${each.metadata.name}\n`).join('');
  const value = asList ? { apiVersion: 'v1', kind: 'List', items: objects } : objects[0];
  return format === 'json' ? `${JSON.stringify(value, null, 2)}\n` : dump(value, { noRefs: true, lineWidth: -1 });
}
