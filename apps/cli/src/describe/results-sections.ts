import type { Result, Results } from '@lateen/backup-store';
import { describeError, plainLine } from '@lateen/errors';
import type { Cause, FileRead } from '@lateen/operations/run';
import { indented, none, section } from '../output/description.ts';

/** The root cause of each failure; nothing without failures. Blocks. */
export function causeSection(causes: readonly Cause[]): string[] {
  if (causes.length === 0) return [];
  const lines = causes.flatMap(({ about, why, see }) => [
    about === '' ? why : `${about}: ${why}`,
    ...(see === undefined ? [] : [`  ${see}`]),
  ]);
  return section('Causes', lines);
}

/** Warnings and errors by namespace or scope; only kinds that were counted. Blocks. */
export function resultsSections(
  results: FileRead<Results> | undefined,
  { warnings = 0, errors = 0 }: { warnings?: number | undefined; errors?: number | undefined },
): string[][] {
  if (results === undefined) return [];
  const block = (heading: string, of: keyof Results, count: number) =>
    count === 0 ? [] : resultsBlock(heading, of, results);
  return [block('Warnings', 'warnings', warnings), block('Errors', 'errors', errors)];
}

function resultsBlock(heading: string, of: keyof Results, results: FileRead<Results>): string[] {
  if (results.kind !== 'read') return [`${heading}:  ${unreadText(results, heading.toLowerCase())}`];
  const { velero, cluster, namespaces } = results.value[of] as Result;
  return section(heading, [
    ...resultLines('Velero', velero),
    ...resultLines('Cluster', cluster),
    ...namespaceLines(namespaces ?? {}),
  ]);
}

/** Why a file is not shown, printed instead of it. */
export const unreadText = (file: Exclude<FileRead<unknown>, { kind: 'read' }>, what: string): string =>
  `<error getting ${what}: ${file.kind === 'missing' ? 'file not found' : plainLine(describeError(file.error))}>`;

function resultLines(heading: string, texts: readonly string[] | null | undefined): string[] {
  const [first, ...rest] = texts ?? [];
  if (first === undefined) return [`${`${heading}:`.padEnd(11)} ${none}`];
  return [`${`${heading}:`.padEnd(11)} ${plainLine(first)}`, ...indented(rest.map(plainLine), 12)];
}

function namespaceLines(namespaces: Readonly<Record<string, readonly string[]>>): string[] {
  const all = Object.entries(namespaces).sort(([a], [b]) => (a < b ? -1 : 1));
  if (all.length === 0) return [`Namespaces: ${none}`];
  return ['Namespaces:', ...all.flatMap(([name, texts]) => indented(resultLines(name, texts)))];
}

/** For JSON: the content, or the reason why it could not be read. */
export function readOr<T, R>(file: FileRead<T>, pick: (value: T) => R): R | { error: string } {
  if (file.kind === 'read') return pick(file.value);
  return { error: file.kind === 'missing' ? 'file not found' : describeError(file.error) };
}
