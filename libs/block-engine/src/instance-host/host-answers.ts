import type { InstanceError, SnapshotFact } from './instance.ts';

export interface HostInfo {
  /** Versions of this API that it speaks, from the oldest to the newest. */
  readonly apiMin: number;
  readonly apiMax: number;
  /** Of the program. */
  readonly version: string;
  readonly node: string;
  readonly qsdVersion: string;
  /** `nbd`, `nbdfuse`; the first is taken. */
  readonly frontends: readonly string[];
  readonly probes: readonly HostProbe[];
  readonly disks: readonly DiskFacts[];
}

/** Something that the node must have. */
export interface HostProbe {
  readonly name: string;
  readonly ok: boolean;
  readonly message: string;
  readonly nextStep?: string | undefined;
}

export interface DiskFacts {
  readonly path: string;
  /** Of the disk's own file; absent when it has none. */
  readonly uuid?: string | undefined;
  readonly filesystemId: string;
  readonly filesystemType: string;
  readonly maximumBytes: bigint;
  readonly availableBytes: bigint;
  readonly directIo: boolean;
  readonly sparseFiles: boolean;
  readonly error?: InstanceError | undefined;
}

export interface ReplicaFolder {
  readonly directory: string;
  readonly volume?: string | undefined;
  readonly volumeUid?: string | undefined;
  readonly replica?: string | undefined;
  readonly actualBytes: bigint;
  /** Why the rest is not known. */
  readonly problem?: string | undefined;
}

export interface SumProgress {
  readonly doneBytes: bigint;
  readonly totalBytes: bigint;
  /** In the last one. */
  readonly sum?: string | undefined;
}

export interface CopyProgress {
  readonly snapshot: string;
  /** From 1. */
  readonly layer: number;
  readonly layers: number;
  /** Of this layer. */
  readonly doneBytes: bigint;
  readonly totalBytes: bigint;
  /** It was there with an equal sum. */
  readonly skipped: boolean;
  readonly sum?: string | undefined;
}

/** A frozen layer. `sizeBytes` is what its file takes. */
export interface ReplicaLayer extends SnapshotFact {
  /** Size of the volume when it was frozen. */
  readonly volumeBytes: bigint;
}

export interface ReplicaLayers {
  /** Of the volume. */
  readonly sizeBytes: bigint;
  /** `new`, `rebuilding` or `whole`, as in replica.json. */
  readonly recordState: string;
  /** The snapshot that the head stands on; none for a head on nothing. */
  readonly headParent?: string | undefined;
  /** What the file of the head takes. */
  readonly headBytes: bigint;
  /** Each after the one that it stands on; removed ones too. */
  readonly layers: readonly ReplicaLayer[];
}

export interface OpenedSnapshot {
  /** Name of the export without its token, which the reader works out. */
  readonly export: string;
  readonly port: number;
  readonly unixPath?: string | undefined;
  readonly sizeBytes: bigint;
  /** It closes when it was not used for so long. */
  readonly leaseMs: number;
  /** Snapshots whose layers are shown, from the opened one down; removed ones too. Nothing is merged in them while it is open. */
  readonly chain: readonly string[];
}
