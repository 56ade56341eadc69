import { AppError } from '@lateen/errors';
import { dump } from 'js-yaml';

/** Formats of commands whose result is not a Kubernetes object. */
export const valueFormats = ['table', 'json', 'yaml'] as const;
export type ValueFormat = (typeof valueFormats)[number];

/** @throws AppError BAD_FLAG naming the formats */
export function parseValueFormat(text: string): ValueFormat {
  const found = valueFormats.find((format) => format === text);
  if (found !== undefined) return found;
  throw new AppError('BAD_FLAG', `--output "${text}" is not a format`, {
    nextStep: `Use one of ${valueFormats.join(', ')}.`,
  });
}

/** Text lines, or the value itself; ends with a line break. */
export function printValue(format: ValueFormat, lines: readonly string[], value: unknown): string {
  if (format === 'table') return `${lines.join('\n')}\n`;
  return format === 'json' ? `${JSON.stringify(value, null, 2)}\n` : dump(value, { noRefs: true, lineWidth: -1 });
}
