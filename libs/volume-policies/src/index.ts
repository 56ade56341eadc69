export { type FsBackupChoice, type FsBackupInput, type FsBackupSpec, podVolumesForFsBackup } from './fs-backup.ts';
export { type PodVolume, type PodVolumeSpecOptions, podVolumeMarks, podVolumeSpec } from './pod-volume-spec.ts';
export { type SnapshotChoice, type SnapshotInput, shouldSnapshot } from './should-snapshot.ts';
export { type BackupApproach, skippedReason } from './skipped-reason.ts';
export { volumeAction } from './volume-action.ts';
export type { PolicyVolume } from './volume-facts.ts';
