export { devicePathOf } from './attach-volume.ts';
export { replicatedBackups, type VolumeBackup, type VolumeBackups } from './backups.ts';
export {
  type ReplicatedEngineLimits,
  type ReplicatedEngineOptions,
  replicatedEngineLimits,
  type SnapshotReads,
} from './engine-deps.ts';
export { clusterBytes } from './granularity.ts';
export { objectNameOf } from './object-name.ts';
export { replicatedBlockEngine } from './replicated-block-engine.ts';
export { volumeSizeOf } from './volume-size.ts';
