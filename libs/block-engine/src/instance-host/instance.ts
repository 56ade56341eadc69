export const instanceKinds = ['replica', 'engine', 'frontend', 'transfer'] as const;
export type InstanceKind = (typeof instanceKinds)[number];

export const hostInstanceStates = ['starting', 'running', 'stopping', 'stopped', 'error'] as const;
export type HostInstanceState = (typeof hostInstanceStates)[number];

export interface InstanceRef {
  readonly kind: InstanceKind;
  readonly name: string;
}

/** Something that runs, ran or could not be started on a node, as its instance manager sees it. */
export interface Instance extends InstanceRef {
  readonly volume: string;
  readonly generation: number;
  readonly state: HostInstanceState;
  /** Why the state is `error`. */
  readonly error?: InstanceError | undefined;
  /** Identifies this run: another value means that it was started again. */
  readonly uuid: string;
  /** The port on which a replica serves. */
  readonly port?: number | undefined;
  /** The device of a front end (`/dev/longhorn/<volume>`), the socket of an engine. */
  readonly endpoint?: string | undefined;
  readonly engine?: EngineState | undefined;
  readonly replica?: ReplicaFacts | undefined;
  readonly transfer?: TransferProgress | undefined;
}

/** An error that is stored and shown; `code` is that of an AppError. */
export interface InstanceError {
  readonly code: string;
  readonly message: string;
  readonly nextStep?: string | undefined;
}

export interface EngineState {
  /** `RW` or `WO` by replica; a replica that was dropped is in `failures`. */
  readonly modes: Readonly<Record<string, string>>;
  readonly failures: readonly ReplicaFailure[];
  /** True while writes wait until a failure has been recorded. */
  readonly holding: boolean;
  readonly holdingSinceMs?: number | undefined;
  readonly paused: boolean;
  readonly sizeBytes: bigint;
  readonly rebuild?: RebuildProgress | undefined;
  readonly purge?: PurgeProgress | undefined;
  /** The engine has ended, and every write was on every replica. */
  readonly cleanStop: boolean;
  /**
   * The replica whose data counts while the replicas are compared. Present as long as replicas may differ in writes that were never acknowledged;
   * until then no snapshot, no rebuild and no clean stop is possible.
   */
  readonly readPrimary?: string | undefined;
  readonly snapshots: readonly SnapshotFact[];
  readonly snapshotsError?: string | undefined;
  /**
   * The latest time that the only readable replica had no space for a request, reported at most once a minute. It stays when there is space again.
   */
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
  /** The failure is stored in the API server: no controller will treat the replica as complete. */
  readonly recorded: boolean;
}

export interface ReplicaFacts {
  readonly actualBytes: bigint;
  readonly promisedGeneration: number;
  /** `new`, `rebuilding` or `whole`, as in replica.json. */
  readonly recordState: string;
  /**
   * Its daemon was killed while it served this generation: writes that were acknowledged and not flushed may be missing. The replica is not served in
   * this generation again. Absent after a rebuild or a comparison has restored what was missing.
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
  /** The current step, in one or two words. */
  readonly step: string;
  readonly from?: string | undefined;
  /** From 1. */
  readonly layer: number;
  readonly layers: number;
  /** Sum over all layers, by the size of their files. */
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

/** What a watch reports: each existing instance, `synced`, then changes; a heartbeat at least every {@link hostHeartbeatMs}. */
export type InstanceEvent =
  | { readonly type: 'changed'; readonly instance: Instance }
  | { readonly type: 'gone'; readonly instance: InstanceRef }
  | { readonly type: 'synced' }
  | { readonly type: 'heartbeat'; readonly atMs: number };

export const hostHeartbeatMs = 2_000;

/** A watch that has received nothing for so long ends with `HOST_UNREACHABLE`. */
export const hostSilentMs = 8_000;
