import type { InstanceKind } from './instance.ts';

export interface EnsureReplica {
  readonly name: string;
  readonly volume: string;
  readonly volumeUid: string;
  /** Absolute. */
  readonly directory: string;
  readonly sizeBytes: bigint;
  /** Promised before it serves. */
  readonly generation: number;
  /** False: a missing folder is `REPLICA_GONE`, never a new empty one (an unmounted disk would become an empty replica). */
  readonly mayCreate: boolean;
  /** It is to be rebuilt, or is being rebuilt. False: it must have all its data, else it is `REPLICA_LAGS`. */
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
  /** The one that is read until the heads have been compared. */
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

/** Where failures are written. */
export interface EngineRecord {
  readonly namespace: string;
  /** Name of the Engine object. */
  readonly engine: string;
  /** Of that object: another one of its name is none of this engine's. */
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
  /** It and older ones are stopped; a newer one that runs is `GENERATION_OVER`. */
  readonly generation: number;
}

export interface PromiseGeneration {
  readonly replica: string;
  readonly volumeUid: string;
  readonly directory: string;
  readonly generation: number;
}

/** A directory of the node becomes a disk. */
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

/** An engine of one generation; another one that runs is `GENERATION_OVER`. */
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
  /** Freezes the file system that is mounted, if one is. */
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
   * What its layer itself holds, which is little to read; replicas whose layers were merged or compared at different times may differ there
   * and read the same. Otherwise what the snapshot reads as, through all layers below it.
   */
  readonly layerAlone: boolean;
  /** Of a layer alone: the sum that was read last is told where nothing was written to the layer since. Hosts of earlier releases read it anyway. */
  readonly onlyChanged?: boolean | undefined;
  readonly bytesPerSecond?: bigint | undefined;
}

export interface OpenSnapshot {
  readonly replica: string;
  readonly snapshot: string;
  /** This layer without those below it. */
  readonly layerAlone: boolean;
  /**
   * A name that this reader alone has, for all its calls: readers of one snapshot share an export, which closes when the last of them has closed it or
   * was not heard of in time. Managers of earlier releases give none: they count as one reader, and never close.
   */
  readonly reader: string;
}

/** Credentials are in `secret`: in memory only, in no log. */
export interface BackupTargetAddress {
  readonly url: string;
  readonly secret: Readonly<Record<string, string>>;
}

export interface StartBackup {
  readonly backup: string;
  /** Name of the transfer; that of the backup when absent, and for hosts of earlier releases, which tell it in their progress. */
  readonly transfer?: string | undefined;
  readonly volume: string;
  readonly replica: string;
  readonly snapshot: string;
  /** `full` or `incremental`: what has changed since the last backup of the volume on the target, where that can be told. */
  readonly mode: string;
  readonly target: BackupTargetAddress;
  readonly blockBytes: bigint;
  readonly compression: string;
  readonly labels: Readonly<Record<string, string>>;
  /** Of the volume, as volume.cfg has them. */
  readonly volumeFacts: Readonly<Record<string, string>>;
  readonly workers: number;
  /** It goes on when the stream of its progress ends. */
  readonly detached: boolean;
}

export interface StartRestore extends EngineOf {
  readonly restore: string;
  readonly volume: string;
  readonly backup: string;
  readonly backupVolume: string;
  /** A backup that the volume holds, and nothing else: only what differs from it is written. */
  readonly since?: string | undefined;
  /** Another backup whose restore since then was begun and has not ended: the volume holds blocks of both. */
  readonly begun?: string | undefined;
  /** The volume is new and reads as zeros. Without this and `since` every byte of it is written. */
  readonly isNew: boolean;
  readonly target: BackupTargetAddress;
  readonly workers: number;
  readonly detached: boolean;
}

/** The first content of a volume: a snapshot of another one, read from one of its replicas. */
export interface StartClone extends EngineOf {
  readonly clone: string;
  /** The one that is written. */
  readonly volume: string;
  readonly sourceVolume: string;
  /** It runs, and has the snapshot. */
  readonly sourceReplica: string;
  /** `host:port` of the instance manager of that replica. */
  readonly sourceManager: string;
  readonly snapshot: string;
  /** The volume reads as zeros, except for what an earlier try with this very snapshot has written. Without this every byte of it is written. */
  readonly isNew: boolean;
  /** It goes on when the stream of its progress ends. */
  readonly detached: boolean;
}
