import { isJsonObject } from '@lateen/kube';
import { dump } from 'js-yaml';
import type { FieldChange } from './field-change.ts';
import { type DiffLine, lineDiff } from './line-diff.ts';

/** The limits of one shown value; a whole certificate would not help. */
const limits = { linesMax: 40, lineCharsMax: 200 } as const;

/** Characters that a terminal would interpret, or that are invisible. */
const controls = /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/gu;

/**
 * Formats a change for users: lines with `-` and `+` in front, the path first. Texts of several lines are compared line by line, long ones
 * are cut. Control characters are escaped.
 */
export function changeLines({ path, ...values }: FieldChange): DiffLine[] {
  const where = pathText(path);
  const { before, after } = values;
  if (isLongText(before) && isLongText(after))
    return cut([{ sign: ' ', text: `${where}:` }, ...indented(lineDiff(before, after))]);
  return [
    ...('before' in values ? cut(valueLines('-', where, before)) : []),
    ...('after' in values ? cut(valueLines('+', where, after)) : []),
  ];
}

/** `spec.containers[name=web].env[0]`, `metadata.annotations["a.b/c"]`; "(object)" for the whole object. */
export function pathText(path: FieldChange['path']): string {
  const text = path.map((part) => {
    if (typeof part === 'number') return `[${part}]`;
    if (part.startsWith('[')) return part;
    return /^[\w-]+$/.test(part) ? `.${part}` : `[${JSON.stringify(part)}]`;
  });
  return text.join('').replace(/^\./, '') || '(object)';
}

const isLongText = (value: unknown): value is string => typeof value === 'string' && value.includes('\n');

const indented = (lines: readonly DiffLine[]): DiffLine[] =>
  lines.map(({ sign, text }) => ({ sign, text: `  ${text}` }));

function valueLines(sign: '-' | '+', where: string, value: unknown): DiffLine[] {
  const isShort = !isJsonObject(value) && !Array.isArray(value) && !isLongText(value);
  if (isShort) return [{ sign, text: `${where}: ${typeof value === 'string' ? value : JSON.stringify(value)}` }];
  const text = isLongText(value) ? value : yamlOf(value);
  return [{ sign, text: `${where}:` }, ...indented(text.split('\n').map((line): DiffLine => ({ sign, text: line })))];
}

/** Converts to YAML through JSON, which turns numbers that were kept as text into plain numbers. */
const yamlOf = (value: unknown): string => dump(JSON.parse(JSON.stringify(value)), { lineWidth: -1 }).trimEnd();

function cut(lines: readonly DiffLine[]): DiffLine[] {
  const shown = lines.slice(0, limits.linesMax).map(({ sign, text }): DiffLine => ({ sign, text: shortened(text) }));
  const more = lines.length - shown.length;
  return more === 0 ? shown : [...shown, { sign: ' ', text: `  … ${more} more lines` }];
}

function shortened(line: string): string {
  const plain = line.replace(
    controls,
    (character) => `\\u${(character.codePointAt(0) ?? 0).toString(16).padStart(4, '0')}`,
  );
  return plain.length > limits.lineCharsMax ? `${plain.slice(0, limits.lineCharsMax)}…` : plain;
}
