import { type PersistentVolumeClaim, snapshotGroup, type VolumeSnapshot, volumeSnapshotType } from '@lateen/api-types';
import { AppError } from '@lateen/errors';
import { durationText } from '@lateen/kernel';
import { createGenerated } from '@lateen/kube';
import { deleteSnapshot } from './delete-snapshot.ts';
import type { SightPorts, SnapshotSight } from './snapshot-sight.ts';
import { type TakenSnapshot, type WaitNotes, waitForHandle } from './wait-for-handle.ts';

export interface SnapshotRequest {
  claim: PersistentVolumeClaim;
  /** Name of the VolumeSnapshotClass. */
  snapshotClass: string;
  /** Beside those of the claim. */
  labels?: Readonly<Record<string, string>>;
  /** How long the driver may take until the snapshot has a handle. */
  timeoutMs: number;
  /** Fail with the driver's first complaint, which it may still get over; else its last words are told at the time-out. */
  failsAtOnce?: boolean;
}

/**
 * Makes a VolumeSnapshot beside the claim and waits until the driver has given its content a handle
 * (data-movement.md section 2). On failure, time-out or abort the VolumeSnapshot is deleted again.
 * @throws AppError SNAPSHOT_FAILED with the driver's words | SNAPSHOT_TIMEOUT with its last ones | SNAPSHOT_LEFT_BEHIND
 */
export async function takeSnapshot(
  request: SnapshotRequest,
  ports: SightPorts & { sight: SnapshotSight },
  signal: AbortSignal,
): Promise<TakenSnapshot> {
  const { kube, clock } = ports;
  const snapshot = await createGenerated(ports, volumeSnapshotType, snapshotOf(request), signal);
  const deadline = clock.deadline(request.timeoutMs);
  const notes: WaitNotes = { contentName: undefined, complaint: undefined };
  try {
    const within = AbortSignal.any([signal, deadline]);
    const { failsAtOnce = false } = request;
    return await ports.sight((wait) => waitForHandle(snapshot, notes, { ...ports, wait, failsAtOnce }, within));
  } catch (error) {
    // The caller's signal may be the reason we are here, so the clean-up must not depend on it.
    await deleteSnapshot(kube, snapshot);
    if (!deadline.aborted || signal.aborted) throw error;
    throw timedOut(request, notes, error);
  }
}

function snapshotOf({ claim, snapshotClass, labels }: SnapshotRequest): VolumeSnapshot {
  const { name = '', namespace = '', labels: own } = claim.metadata;
  const all = { ...own, ...labels };
  return {
    apiVersion: `${snapshotGroup}/v1`,
    kind: 'VolumeSnapshot',
    metadata: {
      generateName: `velero-${name}-`,
      namespace,
      ...(Object.keys(all).length === 0 ? {} : { labels: all }),
    },
    spec: { volumeSnapshotClassName: snapshotClass, source: { persistentVolumeClaimName: name } },
  };
}

function timedOut(
  { claim, timeoutMs }: SnapshotRequest,
  { contentName, complaint }: WaitNotes,
  cause: unknown,
): AppError {
  const { name, namespace } = claim.metadata;
  const after = `the snapshot of PersistentVolumeClaim ${namespace}/${name} had no handle after ${durationText(timeoutMs)}`;
  if (complaint !== undefined)
    return new AppError('SNAPSHOT_TIMEOUT', `${after}: ${complaint}`, {
      cause,
      nextStep: 'The last message is that of the storage driver; check its log.',
    });
  return new AppError('SNAPSHOT_TIMEOUT', after, {
    cause,
    nextStep:
      contentName === undefined
        ? 'No controller has handled it: check that the snapshot controller (snapshot-controller) runs, and its log.'
        : 'Check that the csi-snapshotter of the driver runs, and its log, or allow more time.',
  });
}
