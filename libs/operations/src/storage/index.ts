export { askManager, type ManagerAccess, type ManagerAction } from './ask-manager.ts';
export { setBackupTarget } from './backup-targets.ts';
export { changeObject, type StoragePlace, unlessRefused } from './change-object.ts';
export { type FollowStoragePorts, followStorage, type StorageGoal } from './follow-storage.ts';
export { addDisk, changeDisk, changeNode, type DiskChange, type PlaceChange, removeDisk } from './node/change-node.ts';
export { type DiskRow, disksOf } from './node/list-disks.ts';
export { assignJob, createRecurringJob, newRecurringJob } from './recurring-jobs.ts';
export { requireStorage } from './require-storage.ts';
export { listSettings, type SettingRow, setSetting } from './settings.ts';
export { newVolumeBackup, type WantedBackup } from './snapshot/new-backup.ts';
export { newSnapshot } from './snapshot/new-snapshot.ts';
export {
  attachmentNoun,
  backupTargetNoun,
  engineNoun,
  instanceManagerNoun,
  nodeNoun,
  orphanNoun,
  recurringJobNoun,
  replicaNoun,
  settingNoun,
  snapshotNoun,
  storageBackupNoun,
  volumeNoun,
} from './storage-nouns.ts';
export {
  checkMayAttach,
  displacedBy,
  readAttachment,
  requestAttach,
  requestDetach,
} from './volume/attach-volume.ts';
export { findSurroundingObjects, findSurroundings, inspectVolume } from './volume/find-volume.ts';
export type { Finding } from './volume/findings/finding.ts';
export type { ReplicaStanding } from './volume/replica-standing.ts';
export { planSalvage, requestSalvage, type SalvagePlan } from './volume/salvage-volume.ts';
export { factsOf, removalFactsOf, sizeOf, wholeSizeBytes, withSpec } from './volume/volume-checks.ts';
export { type ExplainedVolume, explainVolume } from './volume/volume-findings.ts';
export type { VolumeSight } from './volume/volume-sight.ts';
export type { SnapshotSpace, VolumeSpace } from './volume/volume-space.ts';
export { type WatchedVolume, watchVolume } from './volume/watch-volume.ts';
