import type { DiskFacts, HostInfo, OpenedSnapshot, ReplicaFolder, SumProgress } from './host-answers.ts';
import type {
  DeleteReplicaData,
  EngineAddReplica,
  EngineDropReplica,
  EngineGrow,
  EngineOf,
  EngineSnapshot,
  EnsureEngine,
  EnsureFrontend,
  EnsureReplica,
  OpenSnapshot,
  PromiseGeneration,
  RegisterDisk,
  SnapshotOf,
  SnapshotSumOf,
  StartBackup,
  StartClone,
  StartRestore,
  StopInstance,
} from './host-requests.ts';
import type { Instance, InstanceEvent, PurgeProgress, RebuildProgress, TransferProgress } from './instance.ts';

export interface Call {
  readonly signal: AbortSignal;
}

/**
 * What runs on one node: replicas, engines, front ends, transfers. All of it continues when its caller ends. Every call is idempotent by name (and
 * generation); after an abort the next call of the same name continues what was begun, and streams end with the abort's reason.
 *
 * Errors are AppErrors with the codes of `host-errors.ts`; after `HOST_UNREACHABLE` (retry `soon`) it is unknown whether the call was carried out.
 */
export interface InstanceHost {
  info(o: Call): Promise<HostInfo>;

  /**
   * Opens the replica, promises the generation on its disk and serves it under this generation only; resolves when it serves.
   * @throws `REPLICA_GONE`, `REPLICA_FOREIGN`, `REPLICA_CORRUPT`, `REPLICA_LAGS`, `GENERATION_OVER`, `NO_PORT`
   */
  ensureReplica(request: EnsureReplica, o: Call): Promise<Instance>;
  /**
   * Starts the engine. An engine that runs is left as it is. An engine that has ended is not started again under its generation, on any host: it
   * would not know of failures that were never recorded.
   * @throws `ENGINE_RUNNING` while an engine of an older generation runs, `GENERATION_OVER` when a newer one runs or this generation was started
   * before
   */
  ensureEngine(request: EnsureEngine, o: Call): Promise<Instance>;
  /** Resolves when the device answers. @throws `INSTANCE_NOT_FOUND` when its engine does not run here */
  ensureFrontend(request: EnsureFrontend, o: Call): Promise<Instance>;
  /** Resolves when its processes have ended; does nothing when there are none. `clean`, for an engine: every write is on every replica. */
  stop(request: StopInstance, o: Call): Promise<{ readonly clean: boolean }>;
  /** First the whole state, then `synced`, then each change. Never ends by itself. @throws `HOST_UNREACHABLE` when the host stops sending */
  watch(o: Call): AsyncIterable<InstanceEvent>;
  /**
   * Fences a replica, which need not run: the promise survives a power loss, and no connection of an older generation is left when this resolves.
   * @throws `GENERATION_OVER` when a newer generation was promised already, `REPLICA_GONE`, `REPLICA_FOREIGN`
   */
  promiseGeneration(request: PromiseGeneration, o: Call): Promise<{ readonly promisedGeneration: number }>;
  /** Does nothing when the data does not exist. @throws `REPLICA_FOREIGN` for another volume's, `INSTANCE_RUNNING` */
  deleteReplicaData(request: DeleteReplicaData, o: Call): Promise<void>;

  /** Resolves to the replicas that have the snapshot; a replica that failed was removed from the engine's set. @throws when no replica has it */
  engineSnapshot(request: EngineSnapshot, o: Call): Promise<{ readonly replicas: readonly string[] }>;
  /** A whole rebuild; ends when the replica is read and written. Continues a rebuild that was begun. */
  engineAddReplica(request: EngineAddReplica, o: Call): AsyncIterable<RebuildProgress>;
  engineDropReplica(request: EngineDropReplica, o: Call): Promise<void>;
  engineGrow(request: EngineGrow, o: Call): Promise<void>;
  engineRevert(request: SnapshotOf, o: Call): Promise<void>;
  engineTrim(request: EngineOf, o: Call): Promise<{ readonly freedBytes: bigint }>;
  /** Marks the snapshot as removed; {@link enginePurge} frees its space. */
  engineSnapshotDelete(request: SnapshotOf, o: Call): Promise<void>;
  enginePurge(request: EngineOf, o: Call): AsyncIterable<PurgeProgress>;
  /** Reads the snapshot; the last progress has the sum. An abort ends the reading. @throws `INSTANCE_NOT_FOUND`, `SNAPSHOT_NOT_FOUND` */
  snapshotSum(request: SnapshotSumOf, o: Call): AsyncIterable<SumProgress>;

  /** Open for the time of the lease; another call by the same reader renews it. @throws `INSTANCE_NOT_FOUND`, `SNAPSHOT_NOT_FOUND`, `NO_ROOM` */
  openSnapshot(request: OpenSnapshot, o: Call): Promise<OpenedSnapshot>;
  /**
   * Ends the lease of this reader, and the export unless another reader uses it. Does nothing when the snapshot is not open. Merges of the snapshot
   * may then continue.
   * @throws `API_VERSION` when the instance manager is of a release without this call: there the lease expires
   */
  closeSnapshot(request: OpenSnapshot, o: Call): Promise<void>;
  startBackup(request: StartBackup, o: Call): AsyncIterable<TransferProgress>;
  startRestore(request: StartRestore, o: Call): AsyncIterable<TransferProgress>;
  /** @throws `BLOCK_SINK_SMALL` when the volume is smaller than the snapshot */
  startClone(request: StartClone, o: Call): AsyncIterable<TransferProgress>;
  inspectDisk(path: string, o: Call): Promise<DiskFacts>;
  /**
   * Writes the file that identifies the disk (`longhorn-disk.cfg`), durably. Does nothing when it has this identity already.
   * @throws `DISK_FOREIGN` when it has another identity, or one that cannot be read: nothing is written then
   */
  registerDisk(request: RegisterDisk, o: Call): Promise<void>;
  listReplicaFolders(path: string, o: Call): AsyncIterable<ReplicaFolder>;
}
