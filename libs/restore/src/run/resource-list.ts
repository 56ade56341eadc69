import type { ResourceListEntry, RestoreItemAct, RestoreItemOutcome } from '@lateen/backup-store';

/** In Velero's words; other outcomes are not in its list (object-store-layout.md section 5.3). */
const words: Partial<Record<RestoreItemAct, string>> = {
  create: 'created',
  update: 'updated',
  unchanged: 'skipped',
  conflict: 'skipped',
  immutable: 'skipped',
  denied: 'failed',
  fail: 'failed',
};

/**
 * The resource list of a restore: apiVersion and kind to `namespace/name(action)`, both sorted. Iterates the outcomes once for each kind, so
 * that only the names of one kind are in memory. Pure.
 */
export function* restoredResources(outcomes: Iterable<RestoreItemOutcome>): Generator<ResourceListEntry> {
  const kinds = new Set<string>();
  for (const outcome of outcomes) if (outcome.act in words) kinds.add(kindOf(outcome));
  for (const kind of [...kinds].sort()) yield [kind, placesOf(kind, outcomes)];
}

function placesOf(kind: string, outcomes: Iterable<RestoreItemOutcome>): string[] {
  const places: string[] = [];
  for (const outcome of outcomes) {
    const { namespace, name, act } = outcome;
    const word = words[act];
    if (word === undefined || kindOf(outcome) !== kind) continue;
    places.push(`${namespace === undefined ? '' : `${namespace}/`}${name}(${word})`);
  }
  return places.sort();
}

const kindOf = ({ apiVersion, kind }: RestoreItemOutcome): string => `${apiVersion}/${kind}`;
