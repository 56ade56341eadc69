import type { CopyProgress, ReplicaLayers } from './host-answers.ts';
import type { PurgeProgress } from './instance.ts';
import type { Call } from './instance-host.ts';

/** A replica that serves an engine of this generation. */
export interface ReplicaOf {
  readonly replica: string;
  readonly volumeUid: string;
  readonly generation: number;
}

export interface ReplicaSnapshotOf extends ReplicaOf {
  readonly snapshot: string;
}

/** Equal on all replicas of the volume. */
export interface ReplicaSnapshot extends ReplicaSnapshotOf {
  readonly userCreated: boolean;
  /** RFC 3339. Name and time together identify the snapshot. */
  readonly created: string;
  readonly labels: Readonly<Record<string, string>>;
}

export interface ReplicaSizeOf extends ReplicaOf {
  readonly sizeBytes: bigint;
}

export interface CopyLayers extends ReplicaOf {
  readonly sourceReplica: string;
  /** `host:port` of the instance manager of the source. */
  readonly sourceManager: string;
  /** True: layers that are present with an equal sum are kept. False: all layers are copied. */
  readonly fast: boolean;
  readonly bytesPerSecond?: bigint | undefined;
  readonly copiesAtOnce: number;
}

/**
 * What an engine asks of the instance manager that runs one of its replicas. Each call names a replica that runs there, its volume and the generation
 * of the engine. Calls on one replica run one after the other; each is safe to repeat. If a process dies during a call, the next call finishes it or
 * undoes it. An abort leaves what was begun to the next call.
 *
 * After `revert`, `grow`, `beginRebuild` and `attachLayers` the head is served again, under the same generation, when the call resolves. Connections
 * made before have ended: the engine makes a new one.
 *
 * Errors of every call: `GENERATION_OVER` when the replica has promised itself to another engine, `INSTANCE_NOT_FOUND` when it does not run there,
 * `REPLICA_FOREIGN` for another volume's, `REPLICA_CORRUPT`, `REPLICA_LAGS`, `HOST_UNREACHABLE` (retry `soon`: it is unknown whether the call was
 * carried out).
 */
export interface ReplicaControl {
  /** Its chain as it is on disk. Does not interrupt anything. */
  layers(request: ReplicaOf, o: Call): Promise<ReplicaLayers>;
  /** Does all slow work of a snapshot, before the engine pauses. Another snapshot that was prepared is dropped. @throws `SNAPSHOT_EXISTS` */
  prepareSnapshot(request: ReplicaSnapshot, o: Call): Promise<void>;
  /**
   * Called while the engine is paused: what was written before is flushed and frozen. Repeating the same snapshot does nothing. @throws
   * `SNAPSHOT_EXISTS`
   */
  snapshot(request: ReplicaSnapshot, o: Call): Promise<void>;
  /** Drops a prepared snapshot. Does nothing when there is none. */
  cancelSnapshot(request: ReplicaOf, o: Call): Promise<void>;
  /** The volume reads as the snapshot afterwards. No front end may run. @throws `SNAPSHOT_NOT_FOUND` */
  revert(request: ReplicaSnapshotOf, o: Call): Promise<void>;
  /** Marks the snapshot as no longer needed; {@link purge} frees its space. Does nothing when it does not exist. */
  markRemoved(request: ReplicaSnapshotOf, o: Call): Promise<void>;
  /** Merges removed snapshots, one layer at a time, until nothing more can be done now. Other calls interrupt a merge, which then begins again. */
  purge(request: ReplicaOf, o: Call): AsyncIterable<PurgeProgress>;
  /** Called while the engine is paused. @throws `SIZE_REFUSED`, also for a smaller size */
  grow(request: ReplicaSizeOf, o: Call): Promise<void>;
  /** Replaces the stale head by an empty one of this size with no layer below it, which takes writes from now on. Copied layers stay. */
  beginRebuild(request: ReplicaSizeOf, o: Call): Promise<void>;
  /**
   * Copies all frozen layers of another replica, oldest first, and checks them by their sums; ends when all are present. Continues where it was
   * interrupted. @throws `NOT_POSSIBLE_NOW` when the replica is not being rebuilt
   */
  copyLayers(request: CopyLayers, o: Call): AsyncIterable<CopyProgress>;
  /**
   * Called while the engine is paused, when all layers are present: makes the replica whole. The writes since its rebuild began are put on top of
   * this snapshot, which is the one that was taken when the engine began to write to it.
   */
  attachLayers(request: ReplicaSnapshotOf, o: Call): Promise<void>;
  /**
   * The comparison of the replicas of this generation has finished, and this replica took part: writes that it lost in a kill of an earlier
   * generation are back. Says nothing about a kill in this generation.
   */
  compared(request: ReplicaOf, o: Call): Promise<void>;
}
