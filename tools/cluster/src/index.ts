export { freePorts } from './api-server/free-port.ts';
export {
  type RunningApiServer,
  type StartApiServerOptions,
  startApiServer,
} from './api-server/start-api-server.ts';
export { clusterPackages, ensurePackages } from './host/packages.ts';
export { sidecarParts } from './images/cluster-images.ts';
export { loadImage } from './images/load-image.ts';
export { type ProgramImage, type ProgramImageOptions, programImage } from './images/program-image.ts';
export { type ClusterDownOptions, clusterDown } from './lifecycle/cluster-down.ts';
export type { ClusterInfo, NodeInfo } from './lifecycle/cluster-info.ts';
export {
  type ClusterPhase,
  type ClusterStatus,
  clusterStatus,
  type MachineStatus,
} from './lifecycle/cluster-status.ts';
export { type ClusterUpOptions, clusterUp } from './lifecycle/cluster-up.ts';
export { ensureBucket } from './lifecycle/ensure-bucket.ts';
export { findLeftovers, type Leftover } from './lifecycle/find-leftovers.ts';
export { type KillMachineOptions, killMachine } from './lifecycle/kill-machine.ts';
export { type SnapshotCrd, snapshotCrds, snapshotMetadataCrds } from './lifecycle/snapshot-crds.ts';
export { type BlockTools, blockTools } from './parts/block-tools.ts';
export { cacheDir } from './parts/cache-dir.ts';
export { type EnsurePartsOptions, ensureParts } from './parts/ensure-parts.ts';
export { clusterParts } from './parts/part-table.ts';
export { during, type Progress, type ProgressStep, silentProgress } from './progress/progress.ts';
export { type ProgressStream, streamProgress } from './progress/stream-progress.ts';
