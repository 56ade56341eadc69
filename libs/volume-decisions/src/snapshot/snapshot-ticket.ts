import { longhornFinalizer } from '@lateen/storage-types';
import { decideSnapshotPurge } from './purgeable.ts';
import { type SnapshotSeen, wasTaken } from './snapshot-seen.ts';

/** Whether a Snapshot needs its volume attached: to be taken, or to be deleted with its data. */
export function snapshotNeedsAttachment(seen: SnapshotSeen): boolean {
  const { snapshot, volume } = seen;
  if (volume === undefined || volume.metadata.deletionTimestamp !== undefined) return false;
  if (snapshot.metadata.deletionTimestamp !== undefined)
    return (snapshot.metadata.finalizers ?? []).includes(longhornFinalizer) && !isKept(seen);
  return snapshot.spec.createSnapshot === true && !wasTaken(snapshot) && (snapshot.status?.error ?? '') === '';
}

/**
 * The snapshot is marked, and remains for an unknown time: keeping the volume attached, or attaching it again, does not help. The status of the last
 * engine shows this; without a running engine nothing has changed.
 */
function isKept({ snapshot, engine }: SnapshotSeen): boolean {
  const snapshots = engine?.status?.snapshots ?? {};
  const name = snapshot.metadata.name ?? '';
  return snapshots[name]?.removed === true && decideSnapshotPurge(snapshots).kept[name] !== undefined;
}
