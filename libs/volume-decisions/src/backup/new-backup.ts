import {
  type Backup,
  type BackupMode,
  defaultBackupTarget,
  longhornGroup,
  longhornVersion,
  storageLabels,
  type Volume,
} from '@lateen/storage-types';

export interface WantedBackup {
  readonly name: string;
  readonly snapshot: string;
  readonly labels: Readonly<Record<string, string>>;
  readonly mode: BackupMode;
  /** Name of the BackupTarget; the volume's own when absent. */
  readonly target?: string;
}

/** The object that asks for a backup of a volume's snapshot. It outlives its volume, so it is not owned by it. */
export function newBackup(volume: Volume, { name, snapshot, labels, mode, target }: WantedBackup): Backup {
  const { name: volumeName = '', namespace } = volume.metadata;
  const { backupBlockSize, backupTargetName } = volume.spec;
  return {
    apiVersion: `${longhornGroup}/${longhornVersion}`,
    kind: 'Backup',
    metadata: {
      name,
      ...(namespace === undefined ? {} : { namespace }),
      labels: {
        [storageLabels.backupVolume]: volumeName,
        [storageLabels.backupTarget]: target ?? (backupTargetName || defaultBackupTarget),
      },
    },
    spec: {
      snapshotName: snapshot,
      labels: { ...labels },
      backupMode: mode,
      ...(backupBlockSize === undefined ? {} : { backupBlockSize }),
    },
  };
}
