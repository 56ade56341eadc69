export const instanceKinds = ['replica', 'engine', 'frontend', 'transfer'] as const;
export type InstanceKind = (typeof instanceKinds)[number];

export const hostInstanceStates = ['starting', 'running', 'stopping', 'stopped', 'error'] as const;
export type HostInstanceState = (typeof hostInstanceStates)[number];

export interface InstanceRef {
  readonly kind: InstanceKind;
  readonly name: string;
}

/** What runs, ran or could not be started on a node, as its instance manager sees it. */
export interface Instance extends InstanceRef {
  readonly volume: string;
  readonly generation: number;
  readonly state: HostInstanceState;
  /** Why the state is `error`. */
  readonly error?: InstanceError | undefined;
  /** Of this run: another one means that it was started again. */
  readonly uuid: string;
  /** Where a replica serves. */
  readonly port?: number | undefined;
  /** The device of a front end (`/dev/longhorn/<volume>`), the socket of an engine. */
  readonly endpoint?: string | undefined;
  readonly engine?: EngineState | undefined;
  readonly replica?: ReplicaFacts | undefined;
  readonly transfer?: TransferProgress | undefined;
}

/** An error as a fact that is kept and shown; `code` is that of an AppError. */
export interface InstanceError {
  readonly code: string;
  readonly message: string;
  readonly nextStep?: string | undefined;
}

export interface EngineState {
  /** `RW` or `WO` by replica; one that was dropped is in `failures`. */
  readonly modes: Readonly<Record<string, string>>;
  readonly failures: readonly ReplicaFailure[];
  /** Writes wait for the record of a failure. */
  readonly holding: boolean;
  readonly holdingSinceMs?: number | undefined;
  readonly paused: boolean;
  readonly sizeBytes: bigint;
  readonly rebuild?: RebuildProgress | undefined;
  readonly purge?: PurgeProgress | undefined;
  /** It has ended, and every write was on every replica. */
  readonly cleanStop: boolean;
  /**
   * Whose bytes count while the replicas are compared. Present for as long as they may differ in writes that nobody was answered: until then
   * there is no snapshot, no rebuild, and no clean stop.
   */
  readonly readPrimary?: string | undefined;
  readonly snapshots: readonly SnapshotFact[];
  readonly snapshotsError?: string | undefined;
  /** The latest time that the only readable replica had no room for a request, told once a minute at most. It stays when there is room again. */
  readonly noRoom?: NoRoom | undefined;
}

export interface NoRoom {
  readonly replica: string;
  readonly message: string;
  readonly atMs: number;
}

export interface ReplicaFailure {
  readonly replica: string;
  readonly cause: string;
  readonly message: string;
  readonly atMs: number;
  /** It is in the API server: nobody will take the replica for whole. */
  readonly recorded: boolean;
}

export interface ReplicaFacts {
  readonly actualBytes: bigint;
  readonly promisedGeneration: number;
  /** `new`, `rebuilding` or `whole`, as in replica.json. */
  readonly recordState: string;
  /**
   * Its daemon ended while it served this generation: writes that were answered and not flushed may be missing since. It is not served in
   * this generation any more. Absent when a rebuild or a comparison has brought back what was missing.
   */
  readonly killedGeneration?: number | undefined;
  readonly snapshots: readonly SnapshotFact[];
}

export interface SnapshotFact {
  readonly name: string;
  readonly parent?: string | undefined;
  readonly children: readonly string[];
  readonly removed: boolean;
  readonly userCreated: boolean;
  /** RFC 3339. */
  readonly created: string;
  readonly sizeBytes: bigint;
  readonly labels: Readonly<Record<string, string>>;
  readonly sum?: string | undefined;
}

export interface RebuildProgress {
  readonly replica: string;
  /** What is being done, in one or two words. */
  readonly step: string;
  readonly from?: string | undefined;
  /** From 1. */
  readonly layer: number;
  readonly layers: number;
  /** Of all layers, by what their files take. */
  readonly doneBytes: bigint;
  readonly totalBytes: bigint;
  readonly error?: InstanceError | undefined;
}

export interface PurgeProgress {
  readonly replica: string;
  readonly snapshot?: string | undefined;
  readonly doneBytes: bigint;
  readonly totalBytes: bigint;
  readonly error?: InstanceError | undefined;
}

/** A backup, a restore or a clone. */
export interface TransferProgress {
  readonly name: string;
  readonly doneBytes: bigint;
  readonly totalBytes: bigint;
  /** True in the last one. */
  readonly ended: boolean;
  readonly error?: InstanceError | undefined;
  readonly url?: string | undefined;
  readonly storedBytes?: bigint | undefined;
}

/** What a watch tells: each instance there is, `synced`, then changes; a heartbeat at least every {@link hostHeartbeatMs}. */
export type InstanceEvent =
  | { readonly type: 'changed'; readonly instance: Instance }
  | { readonly type: 'gone'; readonly instance: InstanceRef }
  | { readonly type: 'synced' }
  | { readonly type: 'heartbeat'; readonly atMs: number };

export const hostHeartbeatMs = 2_000;

/** A watch that has told nothing for so long ends with `HOST_UNREACHABLE`. */
export const hostSilentMs = 8_000;
