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
  /** RFC 3339. Together with the name it says which snapshot this is. */
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
  /** Layers that are there with an equal sum stay. False: all are copied. */
  readonly fast: boolean;
  readonly bytesPerSecond?: bigint | undefined;
  readonly copiesAtOnce: number;
}

/**
 * What an engine asks of the instance manager that runs one of its replicas. Each call names a replica that runs there, its volume and
 * the generation of the engine. Calls on one replica wait for each other; each is safe to repeat, and whatever dies in between, the next
 * call ends it or takes it back. An abort leaves what was begun to the next call.
 *
 * After `revert`, `grow`, `beginRebuild` and `attachLayers` the head is served again, under the same generation, when the call resolves.
 * Connections made before have ended: the engine makes a new one.
 *
 * Errors, of every call: `GENERATION_OVER` when the replica has promised itself to another engine, `INSTANCE_NOT_FOUND` when it does not
 * run there, `REPLICA_FOREIGN` for another volume's, `REPLICA_CORRUPT`, `REPLICA_LAGS`, `HOST_UNREACHABLE` (retry `soon`: it says
 * nothing of whether the call was carried out).
 */
export interface ReplicaControl {
  /** Its chain as it is on disk. Interrupts nothing. */
  layers(request: ReplicaOf, o: Call): Promise<ReplicaLayers>;
  /** All of a snapshot that takes time, before the engine pauses. Another one that was prepared is dropped. @throws `SNAPSHOT_EXISTS` */
  prepareSnapshot(request: ReplicaSnapshot, o: Call): Promise<void>;
  /** Under a paused engine: what was written before is frozen, flushed. The same one again is fine. @throws `SNAPSHOT_EXISTS` */
  snapshot(request: ReplicaSnapshot, o: Call): Promise<void>;
  /** Drops what was prepared. Absent is fine. */
  cancelSnapshot(request: ReplicaOf, o: Call): Promise<void>;
  /** The volume reads as the snapshot. Without a front end. @throws `SNAPSHOT_NOT_FOUND` */
  revert(request: ReplicaSnapshotOf, o: Call): Promise<void>;
  /** Nobody needs the snapshot any more; {@link purge} gives its room back. Absent is fine. */
  markRemoved(request: ReplicaSnapshotOf, o: Call): Promise<void>;
  /** Merges removed snapshots, one layer at a time, until nothing more can be done now. Other calls cut it off and it begins again. */
  purge(request: ReplicaOf, o: Call): AsyncIterable<PurgeProgress>;
  /** Under a paused engine. @throws `SIZE_REFUSED`; never smaller */
  grow(request: ReplicaSizeOf, o: Call): Promise<void>;
  /** The stale head is thrown away for an empty one of this size over nothing, which takes writes from now on. Copied layers stay. */
  beginRebuild(request: ReplicaSizeOf, o: Call): Promise<void>;
  /**
   * Pulls all frozen layers of another replica, oldest first, checked by their sums; ends when they are there. Goes on where it was
   * cut off. @throws `NOT_POSSIBLE_NOW` when it is not being rebuilt
   */
  copyLayers(request: CopyLayers, o: Call): AsyncIterable<CopyProgress>;
  /**
   * Under a paused engine, when all layers are there: the replica is whole. What it took since its rebuild began stands on this snapshot,
   * the one that was taken when the engine began to write to it.
   */
  attachLayers(request: ReplicaSnapshotOf, o: Call): Promise<void>;
  /**
   * The replicas of this generation have been compared to the end, this one among them: what a kill in an earlier generation took is
   * back. Of a kill in this generation it says nothing.
   */
  compared(request: ReplicaOf, o: Call): Promise<void>;
}
