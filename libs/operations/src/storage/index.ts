export { requireStorage } from './require-storage.ts';
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
export { findSurroundings, inspectVolume } from './volume/find-volume.ts';
export type { Finding } from './volume/findings/finding.ts';
export type { ReplicaStanding } from './volume/replica-standing.ts';
export { type ExplainedVolume, explainVolume } from './volume/volume-findings.ts';
export type { VolumeSight } from './volume/volume-sight.ts';
export type { SnapshotSpace, VolumeSpace } from './volume/volume-space.ts';
