import type { DownloadTarget, DownloadTargetKind } from '@lateen/api-types';

/** What a file belongs to: its location is found through it. */
export type TargetOwner = 'Backup' | 'Restore';

interface TargetFile {
  owner: TargetOwner;
  /** The file's name in its owner's directory. */
  file: (name: string) => string;
}

const ofBackup = (ending: string): TargetFile => ({ owner: 'Backup', file: (name) => `${name}${ending}` });
const ofRestore = (ending: string): TargetFile => ({ owner: 'Restore', file: (name) => `restore-${name}${ending}` });

/** Every kind of a DownloadRequest and its file (object-store-layout.md section 2). */
const files: Readonly<Record<DownloadTargetKind, TargetFile>> = {
  BackupLog: ofBackup('-logs.gz'),
  BackupContents: ofBackup('.tar.gz'),
  BackupVolumeSnapshots: ofBackup('-volumesnapshots.json.gz'),
  BackupItemOperations: ofBackup('-itemoperations.json.gz'),
  BackupResourceList: ofBackup('-resource-list.json.gz'),
  BackupResults: ofBackup('-results.gz'),
  CSIBackupVolumeSnapshots: ofBackup('-csi-volumesnapshots.json.gz'),
  CSIBackupVolumeSnapshotContents: ofBackup('-csi-volumesnapshotcontents.json.gz'),
  BackupVolumeInfos: ofBackup('-volumeinfo.json.gz'),
  BackupItemOutcomes: ofBackup('-item-outcomes.json.gz'),
  RestoreLog: ofRestore('-logs.gz'),
  RestoreResults: ofRestore('-results.gz'),
  RestoreResourceList: ofRestore('-resource-list.json.gz'),
  RestoreItemOperations: ofRestore('-itemoperations.json.gz'),
  // The one file of a restore without `restore-` in front.
  RestoreVolumeInfo: { owner: 'Restore', file: (name) => `${name}-volumeinfo.json.gz` },
};

/** Undefined for a kind that is not known: one of a newer client. */
export function targetOwner(kind: string): TargetOwner | undefined {
  return Object.hasOwn(files, kind) ? files[kind as DownloadTargetKind].owner : undefined;
}

/** The key of the file that is asked for. `prefix` is the location's, without slashes around, "" for none. */
export function objectKey(target: DownloadTarget, prefix: string): string {
  const { owner, file } = files[target.kind];
  const directory = owner === 'Backup' ? 'backups' : 'restores';
  return [...(prefix === '' ? [] : [prefix]), directory, target.name, file(target.name)].join('/');
}
