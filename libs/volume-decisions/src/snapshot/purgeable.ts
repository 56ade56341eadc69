import { type EngineSnapshot, volumeHead } from '@lateen/storage-types';

/** What a purge of a volume merges, and what it leaves though it is marked as removed, with the reason. */
export interface PurgeDecision {
  /** Sorted by name. */
  readonly merge: readonly string[];
  readonly kept: Readonly<Record<string, string>>;
}

/**
 * Which removed snapshots may be merged into what comes after them: never the parent of the head, whose data the head is written over,
 * and none with two children, which both stand on it. One that nothing stands on, as a revert leaves it, simply goes. Children are counted from both sides of the chain, so that a list that lacks one
 * side merges less and not more.
 */
export function decideSnapshotPurge(snapshots: Readonly<Record<string, EngineSnapshot>>): PurgeDecision {
  const children = new Map<string, Set<string>>();
  const isChild = (parent: string, child: string) =>
    children.set(parent, new Set([...(children.get(parent) ?? []), child]));
  for (const [name, each] of Object.entries(snapshots)) {
    if ((each.parent ?? '') !== '') isChild(each.parent ?? '', name);
    for (const child of Object.keys(each.children ?? {})) isChild(name, child);
  }
  const merge: string[] = [];
  const kept: Record<string, string> = {};
  const removed = Object.keys(snapshots).filter((name) => name !== volumeHead && snapshots[name]?.removed === true);
  for (const name of removed.sort()) {
    const below = children.get(name) ?? new Set();
    if (below.has(volumeHead)) kept[name] = 'the head stands on it: it goes when another snapshot has been taken';
    else if (below.size > 1)
      kept[name] = `${[...below].sort().join(' and ')} stand on it: it goes when one of them has gone`;
    else merge.push(name);
  }
  return { merge, kept };
}
