import type { InstanceKind } from './instance.ts';

export interface EnsureReplica {
  readonly name: string;
  readonly volume: string;
  readonly volumeUid: string;
  /** Absolute. */
  readonly directory: string;
  readonly sizeBytes: bigint;
  /** Promised before the replica serves. */
  readonly generation: number;
  /** False: a missing folder is `REPLICA_GONE` and no new folder is made (an unmounted disk would become an empty replica). */
  readonly mayCreate: boolean;
  /** True: the replica is being rebuilt or will be. False: it must have all its data, otherwise the call fails with `REPLICA_LAGS`. */
  readonly rebuilding: boolean;
}

export interface EnsureEngine {
  readonly name: string;
  readonly volume: string;
  readonly volumeUid: string;
  readonly generation: number;
  readonly sizeBytes: bigint;
  /** All of them are read and written from the start. At least one. */
  readonly replicas: readonly ReplicaAddress[];
  /** The replica that is read from until the heads have been compared. */
  readonly readPrimary?: string | undefined;
  readonly replyTimeoutMs: number;
  /** The engine before this one did not end cleanly: replicas may differ in writes that were never acknowledged. */
  readonly compareHeads: boolean;
  readonly record: EngineRecord;
}

export interface ReplicaAddress {
  readonly replica: string;
  readonly host: string;
  readonly port: number;
  /** On the node of the engine: read first. */
  readonly local: boolean;
  readonly unixPath?: string | undefined;
}

/** The API objects into which failures are written. */
export interface EngineRecord {
  readonly namespace: string;
  /** Name of the Engine object. */
  readonly engine: string;
  /** UID of that object: another Engine object of the same name does not belong to this engine. */
  readonly engineUid: string;
  /** Names of the Replica objects, by replica. */
  readonly replicas: Readonly<Record<string, string>>;
}

export interface EnsureFrontend {
  readonly name: string;
  readonly volume: string;
  readonly engine: string;
  readonly generation: number;
  readonly sizeBytes: bigint;
  readonly readOnly: boolean;
}

export interface StopInstance {
  readonly kind: InstanceKind;
  readonly name: string;
  /** This generation and older ones are stopped; if a newer one runs, the call fails with `GENERATION_OVER`. */
  readonly generation: number;
}

export interface PromiseGeneration {
  readonly replica: string;
  readonly volumeUid: string;
  readonly directory: string;
  readonly generation: number;
}

/** Registers a directory of the node as a disk. */
export interface RegisterDisk {
  /** Absolute. */
  readonly path: string;
  /** Its identity from now on. */
  readonly uuid: string;
}

export interface DeleteReplicaData {
  readonly replica: string;
  readonly volumeUid: string;
  readonly directory: string;
}

/** An engine of one generation; if another one runs, the call fails with `GENERATION_OVER`. */
export interface EngineOf {
  readonly engine: string;
  readonly generation: number;
}

export interface SnapshotOf extends EngineOf {
  readonly snapshot: string;
}

export interface EngineSnapshot extends SnapshotOf {
  readonly userCreated: boolean;
  /** RFC 3339, equal on all replicas. */
  readonly created: string;
  readonly labels: Readonly<Record<string, string>>;
  /** True: freezes the mounted file system, if there is one. */
  readonly freeze: boolean;
}

export interface EngineAddReplica extends EngineOf {
  readonly replica: ReplicaAddress;
  /** `host:port` of the instance manager of each replica that takes part, the new one included. */
  readonly managers: Readonly<Record<string, string>>;
  /** Layers with equal sums are not copied. */
  readonly fast: boolean;
  readonly bytesPerSecond?: bigint | undefined;
  readonly copiesAtOnce: number;
}

export interface EngineDropReplica extends EngineOf {
  readonly replica: string;
  readonly cause: string;
  readonly message: string;
}

export interface EngineGrow extends EngineOf {
  readonly sizeBytes: bigint;
}

export interface SnapshotSumOf {
  readonly replica: string;
  readonly snapshot: string;
  /**
   * True: the sum of what the layer itself holds, which is little to read; replicas whose layers were merged or compared at different times may
   * differ in it and still read the same. False: the sum of what the snapshot reads as, through all layers below it.
   */
  readonly layerAlone: boolean;
  /** For a layer alone: returns the sum that was read last if the layer has not changed since. Hosts of earlier releases read the layer anyway. */
  readonly onlyChanged?: boolean | undefined;
  readonly bytesPerSecond?: bigint | undefined;
}

export interface OpenSnapshot {
  readonly replica: string;
  readonly snapshot: string;
  /** This layer without those below it. */
  readonly layerAlone: boolean;
  /**
   * A name that is unique to this reader, used in all its calls: readers of one snapshot share an export, which closes when the last of them has
   * closed it or has let its lease expire. Managers of earlier releases send no name: they count as one reader, and never close.
   */
  readonly reader: string;
}

/** Credentials are in `secret`: kept in memory only, never logged. */
export interface BackupTargetAddress {
  readonly url: string;
  readonly secret: Readonly<Record<string, string>>;
}

export interface StartBackup {
  readonly backup: string;
  /**
   * Name of the transfer. When it is absent, or the host is of an earlier release, the transfer has the name of the backup; such hosts use that name
   * in their progress.
   */
  readonly transfer?: string | undefined;
  readonly volume: string;
  readonly replica: string;
  readonly snapshot: string;
  /**
   * `full` or `incremental`: `incremental` writes what has changed since the last backup of the volume on the target, where that can be determined.
   */
  readonly mode: string;
  readonly target: BackupTargetAddress;
  readonly blockBytes: bigint;
  readonly compression: string;
  readonly labels: Readonly<Record<string, string>>;
  /** Facts of the volume, as volume.cfg has them. */
  readonly volumeFacts: Readonly<Record<string, string>>;
  readonly workers: number;
  /** The transfer continues when the stream of its progress ends. */
  readonly detached: boolean;
}

export interface StartRestore extends EngineOf {
  readonly restore: string;
  readonly volume: string;
  readonly backup: string;
  readonly backupVolume: string;
  /** The backup that the volume holds, and nothing else: only the differences to it are written. */
  readonly since?: string | undefined;
  /** Another backup whose restore was begun afterwards and has not ended: the volume holds blocks of both. */
  readonly begun?: string | undefined;
  /** The volume is new and reads as zeros. If neither this nor `since` is set, every byte of the volume is written. */
  readonly isNew: boolean;
  readonly target: BackupTargetAddress;
  readonly workers: number;
  readonly detached: boolean;
}

/** Fills a new volume: copies a snapshot of another volume, read from one of its replicas. */
export interface StartClone extends EngineOf {
  readonly clone: string;
  /** The volume that is written. */
  readonly volume: string;
  readonly sourceVolume: string;
  /** The replica that is read; it runs, and has the snapshot. */
  readonly sourceReplica: string;
  /** `host:port` of the instance manager of that replica. */
  readonly sourceManager: string;
  readonly snapshot: string;
  /** The volume reads as zeros, except for what an earlier attempt with the same snapshot has written. If false, every byte of it is written. */
  readonly isNew: boolean;
  /** The transfer continues when the stream of its progress ends. */
  readonly detached: boolean;
}
