import {
  type PersistentVolume,
  type PersistentVolumeClaim,
  persistentVolumeClaimType,
  persistentVolumeType,
  type StorageClass,
  storageClassType,
  volumeSnapshotContentType,
  volumeSnapshotType,
} from '@lateen/api-types';
import { AppError } from '@lateen/errors';
import { type KubeApi, readObject } from '@lateen/kube';
import { waitForObject } from '@lateen/kube-runtime';
import type { ExposerPorts } from '../exposer-ports.ts';
import type { SourceSnapshot } from '../specs/taken-over-from.ts';

/** The volume that was snapshotted. Its claim may be gone by now; its class must exist. */
export interface SourceVolume {
  storageClass: StorageClass;
  claim: PersistentVolumeClaim | undefined;
  volume: PersistentVolume | undefined;
}

/** @throws EXPOSE_NO_STORAGE_CLASS */
export async function readSourceVolume(
  kube: KubeApi,
  source: { namespace: string; claim: string; storageClass: string },
  signal: AbortSignal,
): Promise<SourceVolume> {
  const [storageClass, claim] = await Promise.all([
    readStorageClass(kube, source.storageClass, 'spec.csiSnapshot.storageClass', signal),
    readObject(kube, persistentVolumeClaimType, { namespace: source.namespace, name: source.claim }, signal),
  ]);
  const name = claim?.spec.volumeName;
  const needsTopology = storageClass.volumeBindingMode === 'WaitForFirstConsumer';
  const volume =
    needsTopology && name !== undefined && name !== ''
      ? await readObject(kube, persistentVolumeType, { name }, signal)
      : undefined;
  return { storageClass, claim, volume };
}

/** `field` is where the class is named. @throws EXPOSE_NO_STORAGE_CLASS */
export async function readStorageClass(
  kube: KubeApi,
  name: string,
  field: string,
  signal: AbortSignal,
): Promise<StorageClass> {
  const storageClass = await readObject(kube, storageClassType, { name }, signal);
  if (storageClass !== undefined) return storageClass;
  throw new AppError('EXPOSE_NO_STORAGE_CLASS', `storage class "${name}" does not exist`, {
    nextStep: `A copy of the snapshot cannot be provisioned without it: create it, or name another in ${field}.`,
  });
}

/**
 * Waits, by watch, until the snapshot can be used. The signal sets the time limit.
 * @throws EXPOSE_NO_SNAPSHOT, EXPOSE_NO_SNAPSHOT_CONTENT
 */
export async function readySourceSnapshot(
  { kube, clock, random, log }: ExposerPorts,
  key: { namespace: string; name: string },
  signal: AbortSignal,
): Promise<SourceSnapshot> {
  const snapshot = await waitForObject({
    api: kube,
    type: volumeSnapshotType,
    key,
    clock,
    random,
    log,
    signal,
    until: (seen) => {
      if (seen === undefined) throw noSnapshot(key);
      return seen.status?.readyToUse === true && seen.status.boundVolumeSnapshotContentName !== undefined
        ? seen
        : undefined;
    },
  });
  const name = snapshot.status?.boundVolumeSnapshotContentName ?? '';
  const content = await readObject(kube, volumeSnapshotContentType, { name }, signal);
  if (content === undefined) {
    throw new AppError(
      'EXPOSE_NO_SNAPSHOT_CONTENT',
      `VolumeSnapshotContent ${name} of VolumeSnapshot ${key.namespace}/${key.name} does not exist`,
      {
        nextStep: 'The snapshot is lost; take a new one.',
      },
    );
  }
  return { snapshot, content };
}

function noSnapshot({ namespace, name }: { namespace: string; name: string }): AppError {
  return new AppError('EXPOSE_NO_SNAPSHOT', `VolumeSnapshot ${namespace}/${name} does not exist`, {
    nextStep: 'Take the snapshot first, or correct spec.csiSnapshot.volumeSnapshot and spec.sourceNamespace.',
  });
}
