import { globTest, type NameTest } from './glob.ts';

/** What a user includes and excludes, by name or glob. An empty included list means everything. */
export interface NameLists {
  readonly included?: readonly string[] | null | undefined;
  readonly excluded?: readonly string[] | null | undefined;
}

/** Compiled lists, for many names. */
export interface NameFilter {
  /** Included and not excluded. */
  matches: NameTest;
  /** Included by a name of the list, by `*`, or because the list is empty. */
  includes: NameTest;
  excludes: NameTest;
  /** Nothing is excluded and everything is included. */
  readonly everything: boolean;
}

export function nameFilter({ included, excluded }: NameLists): NameFilter {
  const all = included === null || included === undefined || included.length === 0 || included.includes('*');
  const includes = all ? () => true : anyOf(included ?? []);
  const excludes = anyOf(excluded ?? []);
  return {
    includes,
    excludes,
    matches: (name) => !excludes(name) && includes(name),
    everything: all && (excluded ?? []).length === 0,
  };
}

/** True for a name that matches one of the patterns. */
export function anyOf(patterns: readonly string[]): NameTest {
  const tests = patterns.map(globTest);
  const [only] = tests;
  if (only === undefined) return () => false;
  return tests.length === 1 ? only : (name) => tests.some((test) => test(name));
}

/** The errors in the lists of the old filters and of namespaces (backup-and-restore.md section 1). */
export function listProblems({ included, excluded }: NameLists): string[] {
  return [
    ...(onlyAlone(included) ? [] : ["includes list must either contain '*' only, or a non-empty list of items"]),
    ...((excluded ?? []).includes('*') ? ["excludes list cannot contain '*'"] : []),
    ...inBoth({ included, excluded }),
  ];
}

/** The same for the filters by scope, which may exclude everything. */
export function scopedListProblems({ included, excluded }: NameLists): string[] {
  const excludesAll = (excluded ?? []).includes('*');
  return [
    ...(onlyAlone(included) ? [] : ["includes list must either contain '*' only, or a non-empty list of items"]),
    ...(onlyAlone(excluded) ? [] : ["excludes list must either contain '*' only, or a non-empty list of items"]),
    ...(excludesAll && (included ?? []).length > 0 ? ["when exclude is '*', include cannot have value"] : []),
    ...inBoth({ included, excluded }),
  ];
}

const onlyAlone = (names: readonly string[] | null | undefined): boolean =>
  new Set(names ?? []).size < 2 || !(names ?? []).includes('*');

/** `*` in the excluded list is refused by another text. */
function inBoth({ included, excluded }: NameLists): string[] {
  const both = new Set((excluded ?? []).filter((name) => name !== '*' && (included ?? []).includes(name)));
  return [...both].map((name) => `excludes list cannot contain an item in the includes list: ${name}`);
}
