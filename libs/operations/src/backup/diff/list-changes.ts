import { isJsonObject } from '@lateen/kube';
import { canonicalText } from './comparable-object.ts';
import type { FieldChange } from './field-change.ts';

/** Compares two entries. */
type Compare = (before: unknown, after: unknown, path: FieldChange['path']) => FieldChange[];

/** The keys by which the API server merges lists of objects; the first key that distinguishes all entries is used. */
const ownKeys = ['name', 'key', 'containerPort', 'port', 'mountPath', 'devicePath', 'ip', 'uid', 'topologyKey', 'type'];

/** Compares entries with the same key, whatever their positions; entries without a key are compared by position. */
export function listChanges(
  before: readonly unknown[],
  after: readonly unknown[],
  path: FieldChange['path'],
  compare: Compare,
): FieldChange[] {
  const key = ownKeys.find((candidate) => isKeyed(before, candidate) && isKeyed(after, candidate));
  return key === undefined
    ? placedChanges(before, after, path, compare)
    : keyedChanges(before, after, { key, path }, compare);
}

/** Whether each entry has its own value of the key. */
function isKeyed(list: readonly unknown[], key: string): boolean {
  const values = list.map((entry) => (isJsonObject(entry) ? entry[key] : undefined));
  const areScalars = values.every((value) => typeof value === 'string' || typeof value === 'number');
  return areScalars && new Set(values).size === values.length;
}

function keyedChanges(
  before: readonly unknown[],
  after: readonly unknown[],
  { key, path }: { key: string; path: FieldChange['path'] },
  compare: Compare,
): FieldChange[] {
  const nameOf = (entry: unknown) => `[${key}=${isJsonObject(entry) ? String(entry[key]) : ''}]`;
  const [old, now] = [before, after].map((list) => new Map(list.map((entry) => [nameOf(entry), entry])));
  if (old === undefined || now === undefined) return [];
  const removed = [...old]
    .filter(([name]) => !now.has(name))
    .map(([name, entry]): FieldChange => ({ path: [...path, name], before: entry }));
  const others = [...now].flatMap(([name, entry]): FieldChange[] =>
    old.has(name) ? compare(old.get(name), entry, [...path, name]) : [{ path: [...path, name], after: entry }],
  );
  const changes = [...removed, ...others];
  // The entries are equal and only their order differs: the order is the change.
  return changes.length > 0 ? changes : [{ path, before: [...old.keys()], after: [...now.keys()] }];
}

/** Skips the common start and end, so that one inserted entry is one change. */
function placedChanges(
  before: readonly unknown[],
  after: readonly unknown[],
  path: FieldChange['path'],
  compare: Compare,
): FieldChange[] {
  const isSame = (a: unknown, b: unknown) => canonicalText(a) === canonicalText(b);
  const shorter = Math.min(before.length, after.length);
  let start = 0;
  while (start < shorter && isSame(before[start], after[start])) start++;
  let end = 0;
  while (end < shorter - start && isSame(before.at(-1 - end), after.at(-1 - end))) end++;
  const [old, now] = [before.slice(start, before.length - end), after.slice(start, after.length - end)];
  return Array.from({ length: Math.max(old.length, now.length) }, (_, index): FieldChange[] => {
    const place = [...path, start + index];
    if (index >= now.length) return [{ path: place, before: old[index] }];
    if (index >= old.length) return [{ path: place, after: now[index] }];
    return compare(old[index], now[index], place);
  }).flat();
}
