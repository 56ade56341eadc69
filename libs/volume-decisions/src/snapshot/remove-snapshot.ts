import { backupStateOf, longhornFinalizer, type SnapshotStatus } from '@lateen/storage-types';
import type { Decision } from '../decision/decision.ts';
import { decideSnapshotPurge } from './purgeable.ts';
import { isRunning, type SnapshotEffect, type SnapshotSeen } from './snapshot-seen.ts';

/** The next step for a Snapshot that is being deleted. The object is removed when its data is gone, or with the volume. */
export function removeSnapshot(seen: SnapshotSeen): Decision<SnapshotStatus, SnapshotEffect> {
  const { snapshot, volume, engine, backups, clones, settings } = seen;
  const { name = '', finalizers = [] } = snapshot.metadata;
  const before = snapshot.status ?? {};
  const next = (effects: readonly SnapshotEffect[], waitsFor?: string, status: SnapshotStatus = before) => ({
    status,
    effects,
    events: [],
    ...(waitsFor === undefined ? {} : { waitsFor }),
  });
  if (!finalizers.includes(longhornFinalizer)) return next([]);
  if (volume === undefined || volume.metadata.deletionTimestamp !== undefined) return next([{ do: 'drop-finalizer' }]);
  const reader = backups.find((backup) => ['Pending', 'InProgress', 'Unknown'].includes(backupStateOf(backup)));
  if (reader !== undefined) return next([], `backup ${reader.metadata.name} to end, which reads it`);
  if (clones.length > 0) return next([], `volume ${clones[0]} to be cloned from it`);
  const snapshots = engine?.status?.snapshots ?? {};
  if (!isRunning(seen) || Object.keys(snapshots).length === 0 || (engine?.status?.snapshotsError ?? '') !== '')
    return next([], 'the volume to be attached, and its engine to list its snapshots');
  const found = snapshots[name];
  if (found === undefined) return next([{ do: 'drop-finalizer' }]);
  const marked = { ...before, markRemoved: found.removed === true, readyToUse: false };
  if (found.removed !== true) return next([{ do: 'mark-removed' }], 'the engine to mark it as removed', marked);
  const { merge, kept } = decideSnapshotPurge(snapshots);
  if (!merge.includes(name)) return next([], kept[name] ?? 'its place in the chain to be known', marked);
  if (settings.flag('disable-snapshot-purge'))
    return next([], 'the setting disable-snapshot-purge to be false', marked);
  if (Object.values(engine?.status?.replicaModeMap ?? {}).includes('WO'))
    return next([], 'the rebuild of a replica to end, which copies it', marked);
  // The Engine controller requests it: one purge merges all removed snapshots.
  return next([], 'the purge of the volume', marked);
}
