import {
  type Backup,
  type DataUpload,
  dataUploadType,
  getValidName,
  type KubeObject,
  labels,
  type PodVolumeBackup,
  podVolumeBackupType,
  type ResourceType,
  volumeSnapshotType,
} from '@lateen/api-types';
import { isNotFound, type KubeApi, keyOf, listAll } from '@lateen/kube';

/** Objects of the cluster that were made for a backup; not those of another one that had its name. */
async function objectsOf<T extends KubeObject>(
  kube: KubeApi,
  type: ResourceType<T>,
  { metadata }: Backup,
  signal: AbortSignal,
): Promise<T[]> {
  const { namespace, name = '', uid } = metadata;
  const labelSelector = `${labels.backupName}=${getValidName(name)}`;
  const { items } = await listAll(kube, type, { namespace, labelSelector, signal });
  return items.filter(({ metadata: { labels: given } }) => {
    const of = given?.[labels.backupUid];
    return !of || of === uid;
  });
}

export const uploadsOfBackup = (kube: KubeApi, backup: Backup, signal: AbortSignal): Promise<DataUpload[]> =>
  objectsOf(kube, dataUploadType, backup, signal);

export const podVolumesOfBackup = (kube: KubeApi, backup: Backup, signal: AbortSignal): Promise<PodVolumeBackup[]> =>
  objectsOf(kube, podVolumeBackupType, backup, signal);

/** VolumeSnapshots of the backup, in all namespaces; none where the cluster does not know the kind. */
export async function deleteLabelledSnapshots(kube: KubeApi, backup: Backup, signal: AbortSignal): Promise<void> {
  const { namespace: _, ...metadata } = backup.metadata;
  const snapshots = await objectsOf(kube, volumeSnapshotType, { ...backup, metadata }, signal).catch(
    (error: unknown) => {
      if (!isNotFound(error)) throw error;
      return [];
    },
  );
  for (const snapshot of snapshots) await deleteObject(kube, volumeSnapshotType, snapshot, signal);
}

/** Deletes one object, and no other of its name. Resolves also when it is gone already. */
export async function deleteObject<T extends KubeObject>(
  kube: KubeApi,
  type: ResourceType<T>,
  object: T,
  signal: AbortSignal,
): Promise<void> {
  const { uid } = object.metadata;
  const preconditions = uid === undefined ? {} : { preconditions: { uid } };
  try {
    await kube.delete(type, keyOf(object), { ...preconditions, signal });
  } catch (error) {
    if (!isNotFound(error)) throw error;
  }
}
