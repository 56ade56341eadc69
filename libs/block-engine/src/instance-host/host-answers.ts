import type { InstanceError, SnapshotFact } from './instance.ts';

export interface HostInfo {
  /** Versions of this API that the program supports, from the oldest to the newest. */
  readonly apiMin: number;
  readonly apiMax: number;
  /** Version of the program. */
  readonly version: string;
  readonly node: string;
  readonly qsdVersion: string;
  /** `nbd`, `nbdfuse`; the first one is used. */
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
  /** From the disk's own file; absent when there is no such file. */
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
  /** Why the other facts are unknown. */
  readonly problem?: string | undefined;
}

export interface SumProgress {
  readonly doneBytes: bigint;
  readonly totalBytes: bigint;
  /** Only in the last progress. */
  readonly sum?: string | undefined;
}

export interface CopyProgress {
  readonly snapshot: string;
  /** From 1. */
  readonly layer: number;
  readonly layers: number;
  /** Bytes of this layer. */
  readonly doneBytes: bigint;
  readonly totalBytes: bigint;
  /** The layer was present with an equal sum. */
  readonly skipped: boolean;
  readonly sum?: string | undefined;
}

/** A frozen layer. `sizeBytes` is the space that its file takes. */
export interface ReplicaLayer extends SnapshotFact {
  /** Size of the volume when it was frozen. */
  readonly volumeBytes: bigint;
}

export interface ReplicaLayers {
  /** Size of the volume. */
  readonly sizeBytes: bigint;
  /** `new`, `rebuilding` or `whole`, as in replica.json. */
  readonly recordState: string;
  /** The snapshot below the head; undefined when no layer is below the head. */
  readonly headParent?: string | undefined;
  /** The space that the head's file takes. */
  readonly headBytes: bigint;
  /** Each layer comes after its parent; removed ones are included. */
  readonly layers: readonly ReplicaLayer[];
}

export interface OpenedSnapshot {
  /** Name of the export without its token, which the reader derives itself. */
  readonly export: string;
  readonly port: number;
  readonly unixPath?: string | undefined;
  readonly sizeBytes: bigint;
  /** The export closes when it has not been used for so long. */
  readonly leaseMs: number;
  /** Snapshots of the layers that are shown, from the opened one downwards; removed ones included. None of them is merged while it is open. */
  readonly chain: readonly string[];
}
