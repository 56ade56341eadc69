import { directoryIn } from './directories.ts';

/** Every file of a backup (object-store-layout.md section 2); the item outcomes are ours. */
const names = {
  metadata: () => 'velero-backup.json',
  archive: (name: string) => `${name}.tar.gz`,
  log: (name: string) => `${name}-logs.gz`,
  podVolumeBackups: (name: string) => `${name}-podvolumebackups.json.gz`,
  volumeSnapshots: (name: string) => `${name}-volumesnapshots.json.gz`,
  itemOperations: (name: string) => `${name}-itemoperations.json.gz`,
  resourceList: (name: string) => `${name}-resource-list.json.gz`,
  results: (name: string) => `${name}-results.gz`,
  volumeInfo: (name: string) => `${name}-volumeinfo.json.gz`,
  csiVolumeSnapshots: (name: string) => `${name}-csi-volumesnapshots.json.gz`,
  csiVolumeSnapshotContents: (name: string) => `${name}-csi-volumesnapshotcontents.json.gz`,
  csiVolumeSnapshotClasses: (name: string) => `${name}-csi-volumesnapshotclasses.json.gz`,
  itemOutcomes: (name: string) => `${name}-item-outcomes.json.gz`,
} as const;

export type BackupFile = keyof typeof names;

export const backupFiles = Object.keys(names) as BackupFile[];

/**
 * The key of a file of a backup. `prefix` is the location's, without slashes around, "" for none.
 * @throws BACKUP_NAME_INVALID
 */
export const backupKey = (prefix: string, backup: string, file: BackupFile): string =>
  directoryIn(prefix, 'backups', backup) + names[file](backup);
