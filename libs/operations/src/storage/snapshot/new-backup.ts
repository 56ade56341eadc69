import { readObject } from '@lateen/kube';
import {
  type Backup,
  type BackupMode,
  backupLabels,
  backupTargetType,
  backupType,
  defaultBackupTarget,
  longhornGroup,
  longhornVersion,
  storageLabels,
  type Volume,
} from '@lateen/storage-types';
import { checkBackupTargetAvailable, checkNotStandby, checkSnapshotLabels } from '@lateen/volume-decisions';
import { type StoragePlace, unlessRefused } from '../change-object.ts';
import { factsOf } from '../volume/volume-checks.ts';

export interface WantedBackup {
  readonly name: string;
  readonly snapshot: string;
  readonly mode: BackupMode;
  readonly labels: Readonly<Record<string, string>>;
}

/** Builds a backup of a snapshot in its volume's backup target, with the labels that a restore needs. @throws AppError STORAGE_REFUSED */
export async function newVolumeBackup(place: StoragePlace, volume: Volume, wanted: WantedBackup): Promise<Backup> {
  const { kube, namespace, signal } = place;
  const target = volume.spec.backupTargetName || defaultBackupTarget;
  const found = await readObject(kube, backupTargetType, { namespace, name: target }, signal);
  unlessRefused(
    checkNotStandby(factsOf(volume), 'create backup'),
    checkSnapshotLabels(wanted.labels),
    checkBackupTargetAvailable(target, found?.status?.available === true),
  );
  const { name: volumeName = '' } = volume.metadata;
  return {
    apiVersion: `${longhornGroup}/${longhornVersion}`,
    kind: backupType.kind,
    metadata: {
      name: wanted.name,
      namespace,
      labels: { [storageLabels.backupTarget]: target, [storageLabels.backupVolume]: volumeName },
    },
    spec: {
      snapshotName: wanted.snapshot,
      backupMode: wanted.mode,
      ...(volume.spec.backupBlockSize === undefined ? {} : { backupBlockSize: volume.spec.backupBlockSize }),
      labels: {
        ...wanted.labels,
        [backupLabels.kubernetesStatus]: JSON.stringify(volume.status?.kubernetesStatus ?? {}),
        [backupLabels.accessMode]: volume.spec.accessMode ?? 'rwo',
      },
    },
  };
}
