export { type CredentialFiles, credentialFilesIn } from './credential-files.ts';
export {
  type DeleteSnapshotsPorts,
  deleteNativeSnapshots,
  isBeyondReach,
  type SnapshotLeft,
  snapshotsLeftText,
} from './delete-snapshots.ts';
export { OpenSnapshotters, type OpenSnapshottersPorts, type SnapshotterPorts } from './open-snapshotters.ts';
export { nativeSnapshotInfo, nativeVolumeInfo, snapshotTags } from './snapshot-entry.ts';
export { type SnapshotEnd, type SnapshotRecord, takeNativeSnapshot } from './take-snapshot.ts';
export { answerGraceMs } from './until-answered.ts';
export { type MadeVolume, volumeFromSnapshot } from './volume-from-snapshot.ts';
export {
  answerLost,
  noSnapshotter,
  noSnapshotters,
  type SnapshotterCall,
  type SnapshotterSource,
  type SnapshotterVolumeInfo,
  type VolumeSnapshotter,
} from './volume-snapshotter.ts';
