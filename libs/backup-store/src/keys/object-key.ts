import type { DownloadTarget, DownloadTargetKind } from '@lateen/api-types';
import { type BackupFile, backupKey } from './backup-key.ts';
import { type RestoreFile, restoreKey } from './restore-key.ts';

/** What a file belongs to: its location is found through it. */
export type TargetOwner = 'Backup' | 'Restore';

/** Every kind of a DownloadRequest and its file. */
const files: Readonly<
  Record<DownloadTargetKind, { owner: 'Backup'; file: BackupFile } | { owner: 'Restore'; file: RestoreFile }>
> = {
  BackupLog: { owner: 'Backup', file: 'log' },
  BackupContents: { owner: 'Backup', file: 'archive' },
  BackupVolumeSnapshots: { owner: 'Backup', file: 'volumeSnapshots' },
  BackupItemOperations: { owner: 'Backup', file: 'itemOperations' },
  BackupResourceList: { owner: 'Backup', file: 'resourceList' },
  BackupResults: { owner: 'Backup', file: 'results' },
  CSIBackupVolumeSnapshots: { owner: 'Backup', file: 'csiVolumeSnapshots' },
  CSIBackupVolumeSnapshotContents: { owner: 'Backup', file: 'csiVolumeSnapshotContents' },
  BackupVolumeInfos: { owner: 'Backup', file: 'volumeInfo' },
  BackupItemOutcomes: { owner: 'Backup', file: 'itemOutcomes' },
  RestoreLog: { owner: 'Restore', file: 'log' },
  RestoreResults: { owner: 'Restore', file: 'results' },
  RestoreResourceList: { owner: 'Restore', file: 'resourceList' },
  RestoreItemOperations: { owner: 'Restore', file: 'itemOperations' },
  RestoreItemOutcomes: { owner: 'Restore', file: 'itemOutcomes' },
  RestorePlan: { owner: 'Restore', file: 'plan' },
  RestoreVolumeInfo: { owner: 'Restore', file: 'volumeInfo' },
};

/** Undefined for a kind that is not known: one of a newer client. */
export function targetOwner(kind: string): TargetOwner | undefined {
  return Object.hasOwn(files, kind) ? files[kind as DownloadTargetKind].owner : undefined;
}

/** The key of the file that is asked for. `prefix` is the location's, without slashes around, "" for none. */
export function objectKey(target: DownloadTarget, prefix: string): string {
  const { owner, file } = files[target.kind];
  return owner === 'Backup' ? backupKey(prefix, target.name, file) : restoreKey(prefix, target.name, file);
}
