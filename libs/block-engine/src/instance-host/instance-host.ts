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
 * What runs on one node: replicas, engines, front ends, transfers. It outlives whoever calls it. Every call is idempotent by name
 * (and generation); an abort leaves what was begun to the next call of the same name, and ends streams with its reason.
 *
 * Errors are AppErrors with the codes of `host-errors.ts`; `HOST_UNREACHABLE` (retry `soon`) says nothing of whether the call was
 * carried out.
 */
export interface InstanceHost {
  info(o: Call): Promise<HostInfo>;

  /**
   * Opens the replica, promises the generation on its disk, serves it under that generation only; resolves when it serves.
   * @throws `REPLICA_GONE`, `REPLICA_FOREIGN`, `REPLICA_CORRUPT`, `REPLICA_LAGS`, `GENERATION_OVER`, `NO_PORT`
   */
  ensureReplica(request: EnsureReplica, o: Call): Promise<Instance>;
  /**
   * One that runs is left as it is; one that has ended is not started again under its generation, by whatever host: it would miss
   * failures that were never recorded.
   * @throws `ENGINE_RUNNING` while one of an older generation runs, `GENERATION_OVER` when a newer one does or this one has had its start
   */
  ensureEngine(request: EnsureEngine, o: Call): Promise<Instance>;
  /** Resolves when the device answers. @throws `INSTANCE_NOT_FOUND` without its engine */
  ensureFrontend(request: EnsureFrontend, o: Call): Promise<Instance>;
  /** Resolves when its processes are gone; absent is fine. `clean`: of an engine, every write is on every replica. */
  stop(request: StopInstance, o: Call): Promise<{ readonly clean: boolean }>;
  /** The whole state, `synced`, then each change. Never ends by itself. @throws `HOST_UNREACHABLE` when it falls silent */
  watch(o: Call): AsyncIterable<InstanceEvent>;
  /**
   * Fences a replica, which need not run: the promise outlives a loss of power, and no connection of an older generation lives
   * when this resolves. @throws `GENERATION_OVER` when more was promised already, `REPLICA_GONE`, `REPLICA_FOREIGN`
   */
  promiseGeneration(request: PromiseGeneration, o: Call): Promise<{ readonly promisedGeneration: number }>;
  /** Absent is fine. @throws `REPLICA_FOREIGN` for another volume's, `INSTANCE_RUNNING` */
  deleteReplicaData(request: DeleteReplicaData, o: Call): Promise<void>;

  /** Resolves with the replicas that have it; one that failed has left the set. @throws when none has it */
  engineSnapshot(request: EngineSnapshot, o: Call): Promise<{ readonly replicas: readonly string[] }>;
  /** A whole rebuild; ends when the replica is read and written. Goes on where it finds one begun. */
  engineAddReplica(request: EngineAddReplica, o: Call): AsyncIterable<RebuildProgress>;
  engineDropReplica(request: EngineDropReplica, o: Call): Promise<void>;
  engineGrow(request: EngineGrow, o: Call): Promise<void>;
  engineRevert(request: SnapshotOf, o: Call): Promise<void>;
  engineTrim(request: EngineOf, o: Call): Promise<{ readonly freedBytes: bigint }>;
  /** Marks it; {@link enginePurge} gives its room back. */
  engineSnapshotDelete(request: SnapshotOf, o: Call): Promise<void>;
  enginePurge(request: EngineOf, o: Call): AsyncIterable<PurgeProgress>;
  /** Reads it; the sum is in the last progress. An abort ends the reading. @throws `INSTANCE_NOT_FOUND`, `SNAPSHOT_NOT_FOUND` */
  snapshotSum(request: SnapshotSumOf, o: Call): AsyncIterable<SumProgress>;

  /** For as long as the lease says; asked for again by the same reader, it is renewed. @throws `INSTANCE_NOT_FOUND`, `SNAPSHOT_NOT_FOUND`, `NO_ROOM` */
  openSnapshot(request: OpenSnapshot, o: Call): Promise<OpenedSnapshot>;
  /**
   * The reader is done: its lease ends, and the export with it unless another reader has one. What is not open is fine. Merges of the snapshot go on.
   * @throws `API_VERSION` by an instance manager of before this call: there the lease runs out
   */
  closeSnapshot(request: OpenSnapshot, o: Call): Promise<void>;
  startBackup(request: StartBackup, o: Call): AsyncIterable<TransferProgress>;
  startRestore(request: StartRestore, o: Call): AsyncIterable<TransferProgress>;
  /** @throws `BLOCK_SINK_SMALL` when the volume is smaller than the snapshot */
  startClone(request: StartClone, o: Call): AsyncIterable<TransferProgress>;
  inspectDisk(path: string, o: Call): Promise<DiskFacts>;
  /**
   * Writes the file by which the disk is known (`longhorn-disk.cfg`), durably; there with this identity already: fine.
   * @throws `DISK_FOREIGN` when it has another one, or one that cannot be read: nothing is written then
   */
  registerDisk(request: RegisterDisk, o: Call): Promise<void>;
  listReplicaFolders(path: string, o: Call): AsyncIterable<ReplicaFolder>;
}
