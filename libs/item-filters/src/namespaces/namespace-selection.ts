import { labels, labelValues, type Namespace } from '@lateen/api-types';
import { type LabelTest, labelTest, parseSelector } from '@lateen/kube';
import { globTest, isGlob } from '../names/glob.ts';
import { type NameLists, nameFilter } from '../names/name-lists.ts';
import type { NamespacesByLabel } from '../policies/resource-policies.ts';

/** Which namespaces are meant. */
export interface NamespaceSelection {
  /** All that there are, so that the rules for a whole cluster hold. */
  readonly everything: boolean;
  /** Those of the given namespaces that are meant, by name. */
  readonly names: readonly string[];
  /** Named without a glob, not left out, and not there; by name. */
  readonly missing: readonly string[];
  /** Also for namespaces that were made since; remembers what it was asked. */
  includes(name: string): boolean;
}

/**
 * Names and globs of the spec with the labels of a policy (after-1.18.1.md 1B): a configured list of included labels replaces
 * "empty means all", also when it matches none; named namespaces are added to it. What is left out by name or by label is always left out.
 */
export function namespaceSelection(
  lists: NameLists,
  byLabel: NamespacesByLabel,
  namespaces: readonly Namespace[],
): NamespaceSelection {
  // `*` is what the server writes where nothing was chosen; labels that a policy includes are then the choice.
  const given = byLabel.included.length > 0 ? (lists.included ?? []).filter((name) => name !== '*') : lists.included;
  const included = (given ?? []).filter((name) => name !== '');
  const labelled = namesWith(byLabel.included, byLabel.logic, namespaces);
  const unwanted = namesWith(byLabel.excluded, byLabel.logic, namespaces);
  // An empty name chooses nothing; a list of nothing else must not read as an empty list, which means everything.
  const chosen = byLabel.included.length > 0 || (given ?? []).length > 0;
  const filter = nameFilter({ included, excluded: lists.excluded });
  const byName = included.length > 0 ? filter.includes : () => !chosen;
  const wanted = (name: string) =>
    !unwanted.has(name) && !filter.excludes(name) && (labelled.has(name) || byName(name));
  const marked = namesMarked(namespaces);
  const known = new Map(namespaces.map(({ metadata: { name = '' } }) => [name, wanted(name)]));
  // The server adds those that are marked, and a glob may match none; the backup is one of the whole cluster all the same.
  const left = (lists.excluded ?? []).filter(
    (name) => !marked.has(name) && (!isGlob(name) || matchesAny(name, known.keys())),
  );
  return {
    everything:
      left.length === 0 &&
      unwanted.size === 0 &&
      (!chosen ||
        included.includes('*') ||
        (known.size > 0 && [...known].every(([name, is]) => is || marked.has(name)))),
    names: [...known.keys()].filter((name) => known.get(name)).sort(),
    missing: included.filter((name) => !isGlob(name) && !known.has(name) && !filter.excludes(name)).sort(),
    includes: (name) => {
      const remembered = known.get(name);
      if (remembered !== undefined) return remembered;
      const answer = wanted(name);
      known.set(name, answer);
      return answer;
    },
  };
}

const matchesAny = (pattern: string, names: Iterable<string>): boolean => [...names].some(globTest(pattern));

/** With the label that keeps them out of every backup. */
const namesMarked = (namespaces: readonly Namespace[]): ReadonlySet<string> =>
  new Set(
    namespaces
      .filter(({ metadata }) => metadata.labels?.[labels.excludeFromBackup] === labelValues.true)
      .map(({ metadata }) => metadata.name ?? ''),
  );

function namesWith(
  selectors: readonly string[],
  logic: NamespacesByLabel['logic'],
  namespaces: readonly Namespace[],
): Set<string> {
  if (selectors.length === 0) return new Set();
  const tests = selectors.map((text): LabelTest => labelTest(parseSelector(text)));
  const fits: LabelTest =
    logic === 'AND' ? (labels) => tests.every((test) => test(labels)) : (labels) => tests.some((test) => test(labels));
  return new Set(namespaces.filter(({ metadata }) => fits(metadata.labels)).map(({ metadata }) => metadata.name ?? ''));
}
