import {
  type VolumeSnapshot,
  type VolumeSnapshotClass,
  volumeSnapshotContentType,
  volumeSnapshotType,
} from '@lateen/api-types';
import { AppError, describeError } from '@lateen/errors';
import { isNotFound, type KubeApi, keyOf } from '@lateen/kube';
import { waitForObject } from '@lateen/kube-runtime';
import type { SourceVolume } from './find-source-volume.ts';
import type { VolumePorts } from './volume-ports.ts';

export interface TakeSnapshotOptions {
  source: SourceVolume;
  snapshotClass: VolumeSnapshotClass;
  /** How long the driver may take until the snapshot has a handle, ms (data-movement.md section 2.4). */
  timeoutMs: number;
}

/**
 * Makes a VolumeSnapshot beside the PVC and waits until the driver has given its content a handle.
 * On failure, time-out or abort the VolumeSnapshot is deleted again.
 * @throws AppError SNAPSHOT_FAILED with the driver's words | SNAPSHOT_TIMEOUT
 */
export async function takeSnapshot(
  options: TakeSnapshotOptions,
  { kube, clock }: VolumePorts,
  signal: AbortSignal,
): Promise<VolumeSnapshot> {
  const { pvc } = options.source;
  const snapshot = await kube.create(
    volumeSnapshotType,
    {
      apiVersion: 'snapshot.storage.k8s.io/v1',
      kind: 'VolumeSnapshot',
      metadata: {
        generateName: `velero-${pvc.metadata.name}-`,
        namespace: pvc.metadata.namespace ?? '',
        ...(pvc.metadata.labels === undefined ? {} : { labels: pvc.metadata.labels }),
      },
      spec: {
        volumeSnapshotClassName: options.snapshotClass.metadata.name ?? '',
        source: { persistentVolumeClaimName: pvc.metadata.name ?? '' },
      },
    },
    { signal },
  );
  const deadline = clock.deadline(options.timeoutMs);
  try {
    await waitForHandle(snapshot, { kube, clock }, AbortSignal.any([signal, deadline]));
    return snapshot;
  } catch (error) {
    // The caller's signal may be the reason we are here, so the clean-up must not depend on it.
    await deleteSnapshot(kube, snapshot);
    if (!deadline.aborted || signal.aborted) throw error;
    throw new AppError(
      'SNAPSHOT_TIMEOUT',
      `VolumeSnapshot of PVC ${pvc.metadata.namespace}/${pvc.metadata.name} had no handle after ${options.timeoutMs / 1000} s`,
      {
        cause: error,
        nextStep: 'Look at the CSI driver and its csi-snapshotter sidecar, or raise --snapshot-timeout.',
      },
    );
  }
}

async function waitForHandle(
  snapshot: VolumeSnapshot,
  { kube, clock }: Pick<VolumePorts, 'kube' | 'clock'>,
  signal: AbortSignal,
): Promise<void> {
  const contentName = await waitForObject({
    api: kube,
    type: volumeSnapshotType,
    key: keyOf(snapshot),
    clock,
    signal,
    until: (seen) => {
      if (seen === undefined)
        throw new AppError('SNAPSHOT_FAILED', `VolumeSnapshot ${snapshot.metadata.name} was deleted`);
      throwSnapshotError(seen.status?.error?.message, snapshot);
      return seen.status?.boundVolumeSnapshotContentName;
    },
  });
  await waitForObject({
    api: kube,
    type: volumeSnapshotContentType,
    key: { name: contentName },
    clock,
    signal,
    until: (seen) => {
      throwSnapshotError(seen?.status?.error?.message, snapshot);
      return seen?.status?.snapshotHandle;
    },
  });
}

function throwSnapshotError(message: string | undefined, snapshot: VolumeSnapshot): void {
  if (message === undefined) return;
  throw new AppError(
    'SNAPSHOT_FAILED',
    `VolumeSnapshot ${snapshot.metadata.namespace}/${snapshot.metadata.name}: ${message}`,
    {
      nextStep: 'The message is the CSI driver\u2019s own; look at its log.',
    },
  );
}

/** Deletes a snapshot that nothing will use. @throws AppError SNAPSHOT_LEFT_BEHIND naming it, so that a person can delete it */
export async function deleteSnapshot(kube: KubeApi, snapshot: VolumeSnapshot): Promise<void> {
  await kube.delete(volumeSnapshotType, keyOf(snapshot)).catch((error: unknown) => {
    if (isNotFound(error)) return;
    throw new AppError(
      'SNAPSHOT_LEFT_BEHIND',
      `VolumeSnapshot ${snapshot.metadata.namespace}/${snapshot.metadata.name} could not be deleted: ${describeError(error)}`,
      {
        cause: error,
        nextStep: `Delete it with: kubectl delete volumesnapshot -n ${snapshot.metadata.namespace} ${snapshot.metadata.name}`,
      },
    );
  });
}
