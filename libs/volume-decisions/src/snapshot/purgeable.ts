import type { EngineState } from '@lateen/block-engine';
import { type EngineSnapshot, volumeHead } from '@lateen/storage-types';
import type { Settings } from '../settings/read-settings.ts';

/** The snapshots that a purge merges, and those that it keeps although they are marked as removed, with the reason. */
export interface PurgeDecision {
  /** Sorted by name. */
  readonly merge: readonly string[];
  readonly kept: Readonly<Record<string, string>>;
}

/**
 * Which removed snapshots may be merged into the next one: never the parent of the head, because the head is written meanwhile, and none with two
 * children, which both need its data. A snapshot without children, as a revert leaves it, is simply deleted. Children are counted from both sides of
 * the chain, so that a list that lacks one side merges less and not more.
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
    if (below.has(volumeHead)) kept[name] = 'the head builds on it: it is removed when another snapshot has been taken';
    else if (below.size > 1)
      kept[name] = `${[...below].sort().join(' and ')} build on it: it is removed when one of them has been removed`;
    else merge.push(name);
  }
  return { merge, kept };
}

/**
 * What the host of an engine has to purge now, as text for a log: the removed snapshots that can be merged, or the remains of a failed purge, which
 * are on some replicas only and in no list. Snapshots made only by rebuilds count as removed if they are cleaned up automatically: the purge marks
 * them. Undefined when there is nothing to purge; while replicas are compared or rebuilt, because that needs the layers as they are; while a purge
 * runs; while the snapshots are unknown; and when merging is switched off.
 */
export function whatToPurge(
  snapshots: Readonly<Record<string, EngineSnapshot>>,
  { modes, rebuild, purge, readPrimary, snapshotsError }: EngineState,
  settings: Settings,
): string | undefined {
  if (settings.flag('disable-snapshot-purge') || snapshotsError !== undefined || readPrimary !== undefined) return;
  if (Object.values(modes).includes('WO') || (rebuild !== undefined && rebuild.error === undefined)) return;
  if (purge !== undefined && purge.error === undefined) return;
  const cleansUp = settings.flag('auto-cleanup-system-generated-snapshot');
  const goes = ({ removed, usercreated }: EngineSnapshot) => removed === true || (cleansUp && usercreated === false);
  const marked = Object.entries(snapshots).map(([name, each]) => [name, { ...each, removed: goes(each) }] as const);
  const { merge } = decideSnapshotPurge(Object.fromEntries(marked));
  if (merge.length > 0) return merge.join(', ');
  return purge === undefined ? undefined : 'what the last purge has left';
}
