export type { ImageInfo, LayerExport, LayerView, Merge, ReplicaBlocks } from './blocks/replica-blocks.ts';
export type { Call } from './call.ts';
export { type ChainAreasRequest, chainAreas, type OpenChain } from './copy/chain-areas.ts';
export { type ChainRun, chainRuns } from './copy/layer-runs.ts';
export type { SourceLayer } from './copy/plan-copy.ts';
export type { LayerProgress, LayerSource, PullPace } from './copy/rebuild.ts';
export { replicaLimits } from './limits.ts';
export { qemuBlocks } from './qemu/qemu-blocks.ts';
export type { PresentDaemon, QemuBlocksPorts, QemuDaemon, QemuImages } from './qemu/qemu-ports.ts';
export { parseRecord, recordText } from './record/record-codec.ts';
export {
  checkIdentity,
  checkSize,
  createRecord,
  type NewReplica,
  type ReplicaIdentity,
} from './record/record-create.ts';
export { type PurgePlan, type PurgeStep, type PurgeWait, planPurge } from './record/record-merge.ts';
export type { Promised } from './record/record-promise.ts';
export type { NewSnapshot } from './record/record-snapshot.ts';
export type {
  Layer,
  LayerSnapshot,
  LayerSum,
  Pending,
  ReplicaRecord,
  ReplicaState,
} from './record/replica-record.ts';
export { type ReplicaErrorCode, replicaError } from './replica-error.ts';
export type { CreateReplica } from './store/create.ts';
export type { Inspection } from './store/inspect.ts';
export type { PurgeProgress, PurgeResult } from './store/purge.ts';
export type { LayerReader, OpenReader } from './store/readers.ts';
export type { ReplicaFiles } from './store/replica-folder.ts';
export { type ReplicaStore, type ReplicaStoreOptions, replicaStore } from './store/replica-store.ts';
export type { ReplicaSpace, ReplicaUsage } from './store/usage.ts';
