export {
  type BlockErrno,
  blockErrnos,
  blockIoError,
  blockRangeError,
  errnoOf,
  linkLost,
  linkRefused,
  replicaIoError,
} from './block-errors.ts';
export type { BlockServer, UnixOrTcp } from './block-server.ts';
export { type StatusContext, type StatusExtent, type StatusLink, statusContexts } from './block-status.ts';
export { type BlockTarget, blockRequestBytesMax, type WriteOptions, type ZeroOptions } from './block-target.ts';
export { type HostApi, hostApi, hostApiProblem } from './instance-host/api-version.ts';
export type {
  CopyProgress,
  DiskFacts,
  HostInfo,
  HostProbe,
  OpenedSnapshot,
  ReplicaFolder,
  ReplicaLayer,
  ReplicaLayers,
  SumProgress,
} from './instance-host/host-answers.ts';
export { type HostErrorCode, hostError, hostErrorCodes } from './instance-host/host-errors.ts';
export type {
  BackupTargetAddress,
  DeleteReplicaData,
  EngineAddReplica,
  EngineDropReplica,
  EngineGrow,
  EngineOf,
  EngineRecord,
  EngineSnapshot,
  EnsureEngine,
  EnsureFrontend,
  EnsureReplica,
  OpenSnapshot,
  PromiseGeneration,
  RegisterDisk,
  ReplicaAddress,
  SnapshotOf,
  SnapshotSumOf,
  StartBackup,
  StartClone,
  StartRestore,
  StopInstance,
} from './instance-host/host-requests.ts';
export {
  type EngineState,
  type HostInstanceState,
  hostHeartbeatMs,
  hostInstanceStates,
  hostSilentMs,
  type Instance,
  type InstanceError,
  type InstanceEvent,
  type InstanceKind,
  type InstanceRef,
  instanceKinds,
  type NoRoom,
  type PurgeProgress,
  type RebuildProgress,
  type ReplicaFacts,
  type ReplicaFailure,
  type SnapshotFact,
  type TransferProgress,
} from './instance-host/instance.ts';
export type { Call, InstanceHost } from './instance-host/instance-host.ts';
export type {
  CopyLayers,
  ReplicaControl,
  ReplicaOf,
  ReplicaSizeOf,
  ReplicaSnapshot,
  ReplicaSnapshotOf,
} from './instance-host/replica-control.ts';
export type { ReplicaLink } from './replica-link.ts';
export type { AttachCall, BlockEngine, BlockEngineAbilities } from './volume-level/block-engine.ts';
export type {
  BlockReader,
  BlockSnapshot,
  BlockSource,
  BlockVolume,
  CreateBlockVolume,
  Extent,
  FreezeMode,
  Labels,
  Parameters,
  Topology,
} from './volume-level/block-volume.ts';
export { type BlockVolumeErrorCode, blockVolumeError, blockVolumeErrorCodes } from './volume-level/volume-errors.ts';
