import { labels, labelValues, type Namespace } from '@lateen/api-types';
import { type LabelTest, labelTest, parseSelector } from '@lateen/kube';
import { globTest, isGlob } from '../names/glob.ts';
import { type NameLists, nameFilter } from '../names/name-lists.ts';
import type { NamespacesByLabel } from '../policies/resource-policies.ts';

/** Which namespaces are chosen. */
export interface NamespaceSelection {
  /** All namespaces are chosen, so that the rules of a whole cluster apply. */
  readonly everything: boolean;
  /** The chosen ones among the given namespaces, sorted by name. */
  readonly names: readonly string[];
  /** Namespaces that are named without a glob, are not excluded and do not exist; sorted by name. */
  readonly missing: readonly string[];
  /** Works also for namespaces that were created since; caches its answers. */
  includes(name: string): boolean;
}

/**
 * Combines names and globs of the spec with the labels of a policy (after-1.18.1.md 1B): a configured list of included labels replaces
 * "empty means all", even when it matches none; named namespaces are added to it. Namespaces excluded by name or label are never chosen.
 */
export function namespaceSelection(
  lists: NameLists,
  byLabel: NamespacesByLabel,
  namespaces: readonly Namespace[],
): NamespaceSelection {
  // The server writes `*` when nothing was chosen; then the labels that a policy includes are the choice.
  const given = byLabel.included.length > 0 ? (lists.included ?? []).filter((name) => name !== '*') : lists.included;
  const included = (given ?? []).filter((name) => name !== '');
  const labelled = namesWith(byLabel.included, byLabel.logic, namespaces);
  const unwanted = namesWith(byLabel.excluded, byLabel.logic, namespaces);
  // An empty name chooses nothing; a list that contains only empty names must not count as empty, which would mean everything.
  const chosen = byLabel.included.length > 0 || (given ?? []).length > 0;
  const filter = nameFilter({ included, excluded: lists.excluded });
  const byName = included.length > 0 ? filter.includes : () => !chosen;
  const wanted = (name: string) =>
    !unwanted.has(name) && !filter.excludes(name) && (labelled.has(name) || byName(name));
  const marked = namesMarked(namespaces);
  const known = new Map(namespaces.map(({ metadata: { name = '' } }) => [name, wanted(name)]));
  // The server adds the marked namespaces here, and a glob may match none; neither makes it a backup of a part of the cluster.
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

/** Namespaces with the label that excludes them from every backup. */
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
