import {
  type DataUpload,
  type Job,
  labels,
  type PersistentVolumeClaim,
  persistentVolumeClaimType,
  snapshotGroup,
  volumeSnapshotType,
} from '@lateen/api-types';
import { type KeptBase, readBase } from '@lateen/changed-blocks/base';
import { AppError } from '@lateen/errors';
import { type KubeApi, keyText, listAll, ownerReferenceTo, readObject } from '@lateen/kube';
import type { StoredVolume } from './find-stored-volume.ts';

/** The VolumeSnapshot from which a block volume was uploaded, and how a copy of it is provisioned. */
export interface KeptSnapshot {
  readonly base: KeptBase;
  readonly storageClass: string | undefined;
  /** A quantity. */
  readonly size: string;
}

/**
 * The VolumeSnapshot that was kept of a stored block volume (docs/adr/0081), with which it can be compared. Undefined when none was kept, it is gone or
 * being deleted, or the volume has a file system.
 * @throws KUBE_…
 */
export async function findKeptSnapshot(
  kube: KubeApi,
  { from, snapshotID }: StoredVolume,
  signal: AbortSignal,
): Promise<KeptSnapshot | undefined> {
  // It belongs to the DataUpload.
  if (from.kind !== 'DataUpload') return undefined;
  const { metadata, spec } = from as DataUpload;
  const { sourceNamespace, sourcePVC, csiSnapshot, backupStorageLocation } = spec;
  const source = { namespace: sourceNamespace, name: sourcePVC };
  const claim = await readObject(kube, persistentVolumeClaimType, source, signal);
  if (claim?.spec.volumeMode !== 'Block') return undefined;
  const { namespace = '' } = metadata;
  const { items } = await listAll(kube, volumeSnapshotType, { namespace, labelSelector: labels.baseOf, signal });
  for (const snapshot of items) {
    const base = snapshot.metadata.deletionTimestamp === undefined ? readBase(snapshot) : undefined;
    if (base?.snapshotID !== snapshotID || base.backupStorageLocation !== backupStorageLocation || !base.isReady)
      continue;
    const size = snapshot.status?.restoreSize ?? claim.spec.resources?.requests?.storage;
    if (size === undefined) return undefined;
    return { base, storageClass: csiSnapshot?.storageClass || claim.spec.storageClassName, size };
  }
  return undefined;
}

/** The claim of a Job's volume: a copy of the kept snapshot. It belongs to the Job and is deleted with it. @throws KUBE_… */
export async function createComparedVolume(
  kube: KubeApi,
  job: Job,
  { base, storageClass, size }: KeptSnapshot,
  signal: AbortSignal,
): Promise<void> {
  const { name = '', namespace = '' } = job.metadata;
  const claim: PersistentVolumeClaim = {
    apiVersion: 'v1',
    kind: 'PersistentVolumeClaim',
    metadata: { name, namespace, ownerReferences: [ownerReferenceTo(job)] },
    spec: {
      accessModes: ['ReadWriteOnce'],
      ...(storageClass === undefined ? {} : { storageClassName: storageClass }),
      volumeMode: 'Block',
      resources: { requests: { storage: size } },
      dataSource: { apiGroup: snapshotGroup, kind: 'VolumeSnapshot', name: base.name },
    },
  };
  await kube.create(persistentVolumeClaimType, claim, { namespace, signal });
}

/** The kept snapshot, where the comparison is a must. @throws AppError BASE_SNAPSHOT_GONE */
export function mustBeKept(kept: KeptSnapshot | undefined, { volume }: StoredVolume): KeptSnapshot {
  if (kept !== undefined) return kept;
  throw new AppError('BASE_SNAPSHOT_GONE', `no VolumeSnapshot was kept with which ${volume} can be compared`, {
    nextStep:
      'Only the newest upload of a block volume with KeepBaseSnapshot "true" in its dataMoverConfig keeps one. Leave --compare out to check what is stored.',
  });
}

/** For people: `velero/data-x7k2p`. */
export const keptName = ({ base }: KeptSnapshot): string => keyText(base);
