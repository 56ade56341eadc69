import { plainLine } from '@lateen/errors';
import {
  type ArchiveComparison,
  type ChangedItem,
  type ComparedItem,
  changeLines,
  type DiffLine,
  pathText,
} from '@lateen/operations/backup';

/** The compared backups and the result; changes arrive as they are read. */
export interface Comparison {
  before: string;
  after: string;
  found: ArchiveComparison;
  changes: AsyncIterable<ChangedItem>;
}

/** `deployments.apps shop/web` */
export const itemText = ({ groupResource, namespace, name }: ComparedItem): string =>
  plainLine(`${groupResource} ${[namespace, name].filter(Boolean).join('/')}`);

/** SGR codes (ECMA-48), the colours of git. */
const colors = { '+': 32, '-': 31 } as const;

/** The comparison as text: which objects were added, removed and changed, with the lines of each change. Pieces of text. */
export async function* comparisonText(
  { before, after, found, changes }: Comparison,
  { color }: { color: boolean },
): AsyncGenerator<string> {
  const { added, removed, changed, unchanged } = found;
  const counts = `${added.length} added, ${removed.length} removed, ${changed.length} changed, ${unchanged} unchanged`;
  yield `From ${before} to ${after}: ${counts}\n`;
  yield* listed('Added', added, paint({ sign: '+', text: '' }, color));
  yield* listed('Removed', removed, paint({ sign: '-', text: '' }, color));
  if (changed.length === 0) return;
  yield '\nChanged:\n';
  for await (const { item, changes: fields } of changes) {
    const lines = fields.flatMap(changeLines).map((line) => `    ${paint(line, color)}\n`);
    yield `  ${itemText(item)}\n${lines.join('')}`;
  }
}

function* listed(heading: string, items: readonly ComparedItem[], sign: string): Generator<string> {
  if (items.length === 0) return;
  yield `\n${heading}:\n`;
  for (const item of items) yield `  ${sign}${itemText(item)}\n`;
}

function paint({ sign, text }: DiffLine, color: boolean): string {
  const line = `${sign} ${text}`;
  return color && sign !== ' ' ? `\u001b[${colors[sign]}m${line}\u001b[39m` : line;
}

/** The comparison as JSON, one object per line so that nothing is buffered; all lines together are valid JSON. */
export async function* comparisonJson({ before, after, found, changes }: Comparison): AsyncGenerator<string> {
  yield `{\n  "before": ${JSON.stringify(before)},\n  "after": ${JSON.stringify(after)},\n`;
  yield `  "unchanged": ${found.unchanged},\n`;
  yield `  "added": ${jsonList(found.added)},\n  "removed": ${jsonList(found.removed)},\n  "changed": [`;
  let first = true;
  for await (const { item, changes: fields } of changes) {
    const told = {
      ...placeOf(item),
      changes: fields.map(({ path, ...values }) => ({ path: pathText(path), ...values })),
    };
    yield `${first ? '' : ','}\n    ${JSON.stringify(told)}`;
    first = false;
  }
  yield `${first ? '' : '\n  '}]\n}\n`;
}

const placeOf = ({ groupResource, namespace, name }: ComparedItem) => ({
  resource: groupResource,
  ...(namespace === undefined ? {} : { namespace }),
  name,
});

function jsonList(items: readonly ComparedItem[]): string {
  if (items.length === 0) return '[]';
  return `[\n${items.map((item) => `    ${JSON.stringify(placeOf(item))}`).join(',\n')}\n  ]`;
}
