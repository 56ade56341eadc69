import {
  type BlockServer,
  type EngineState,
  type EnsureEngine,
  hostError,
  type NoRoom,
  type PurgeProgress,
  type RebuildProgress,
  type ReplicaFailure as ShownFailure,
  type SnapshotFact,
} from '@lateen/block-engine';
import type { FailureRecorder } from '@lateen/instance-host';
import { type Semaphore, semaphore } from '@lateen/kernel';
import type { Refused, ReplicaFailure, ReplicaSet, Resume } from '@lateen/replica-set';
import type { EngineHostLimits, EngineHostPorts } from '../engine-host-ports.ts';
import type { RebuildJob } from '../rebuild/rebuild-job.ts';
import type { EngineReplicas } from './engine-replicas.ts';

export interface LiveEngineParts {
  readonly ports: EngineHostPorts;
  readonly limits: EngineHostLimits;
  readonly request: EnsureEngine;
  readonly replicas: EngineReplicas;
  readonly recorder: FailureRecorder;
  /** Aborts when the engine is over, stops, or its host ends. */
  readonly ended: AbortSignal;
  /** Publishes the state to all watchers. */
  publish(): void;
}

/** A serving engine: its replica set, its reported state, and the queue of operations that pause it. */
export class LiveEngine {
  readonly parts: LiveEngineParts;
  /** Set before the engine becomes visible to other code. */
  set!: ReplicaSet;
  server: BlockServer | undefined;
  rebuild: RebuildProgress | undefined;
  /** The rebuild that runs. */
  job: RebuildJob | undefined;
  purge: PurgeProgress | undefined;
  /** Aborts the purge that runs. */
  purging: AbortController | undefined;
  /** Set as long as replicas are compared. */
  primary: string | undefined;
  cleanStop = false;
  snapshots: readonly SnapshotFact[] = [];
  snapshotsError: string | undefined;
  readonly #turn: Semaphore;
  readonly #failures = new Map<string, ShownFailure>();

  constructor(parts: LiveEngineParts) {
    this.parts = parts;
    const full = () =>
      hostError('NOT_POSSIBLE_NOW', `${parts.limits.waitingMax} operations wait for engine ${parts.request.name}`);
    this.#turn = semaphore({ placesMax: 1, waitingMax: parts.limits.waitingMax, full });
  }

  /** Names of the replicas that are read and written, the one on the engine's own node first. */
  get readable(): readonly string[] {
    return this.#inMode('RW');
  }

  get members(): readonly string[] {
    return [...this.readable, ...this.#inMode('WO')];
  }

  #inMode(wanted: string): readonly string[] {
    const names = [...this.set.state.modes].filter(([, mode]) => mode === wanted).map(([name]) => name);
    const isLocal = (name: string) => this.parts.replicas.address(name).local;
    return names.sort((a, b) => Number(isLocal(b)) - Number(isLocal(a)) || (a < b ? -1 : 1));
  }

  /** Only one operation at a time pauses the engine or changes its replicas. Disposing the result admits the next one. */
  async turn(signal: AbortSignal): Promise<Disposable> {
    const release = await this.#turn.take(signal);
    return { [Symbol.dispose]: release };
  }

  /** @throws `NOT_POSSIBLE_NOW` while replicas may differ */
  assertCompared(what: string): void {
    if (this.set.state.comparing)
      throw hostError('NOT_POSSIBLE_NOW', `the replicas are being compared: ${what} only when all of them are equal`);
  }

  /** @throws `NOT_POSSIBLE_NOW` while a replica is rebuilt */
  assertNotRebuilding(what: string): void {
    if (this.job !== undefined)
      throw hostError('NOT_POSSIBLE_NOW', `${this.job.replica} is being rebuilt: ${what} only afterwards`);
  }

  /** It has left the set and its failure is not recorded yet. */
  isFailing(replica: string): boolean {
    return this.set.state.unrecorded.some((failure) => failure.replica === replica);
  }

  /**
   * Runs `act` while no replica has a pending request. Its changes count only when this resolves.
   * @throws what `act` throws, else AppError `PAUSE_EXPIRED` when requests have continued before its end
   */
  async paused<T>(maxMs: number, signal: AbortSignal, act: () => Promise<T>): Promise<T> {
    const resume: Resume = await this.set.pause({ maxMs, signal });
    let done: T;
    try {
      done = await act();
    } catch (error) {
      await resume().catch(() => {});
      throw error;
    }
    await resume();
    return done;
  }

  /** Called by the replica set for each failure; the failure is also shown. */
  async recordFailure(failure: ReplicaFailure, signal: AbortSignal): Promise<void> {
    const { replica, cause, at, last } = failure;
    const shown = { replica, cause: cause.kind, message: cause.message, atMs: at, recorded: false };
    // The last replica has everything: shown as failed, it would look like one that lacks data.
    if (!last) this.#failures.set(replica, shown);
    this.parts.publish();
    await this.parts.recorder.record(failure, signal);
    if (!last && this.#failures.get(replica) === shown) this.#failures.set(replica, { ...shown, recorded: true });
    this.parts.publish();
  }

  /** The replica is in the set again. */
  forgetFailure(replica: string): void {
    this.#failures.delete(replica);
  }

  get state(): EngineState {
    const { modes, holdingSince, paused, sizeBytes, refused } = this.set.state;
    const { rebuild, purge, primary, snapshotsError } = this;
    return {
      modes: Object.fromEntries(modes),
      failures: [...this.#failures.values()],
      holding: holdingSince !== undefined,
      ...(holdingSince === undefined ? {} : { holdingSinceMs: holdingSince }),
      paused,
      sizeBytes,
      ...(rebuild === undefined ? {} : { rebuild }),
      ...(purge === undefined ? {} : { purge }),
      cleanStop: this.cleanStop,
      ...(primary === undefined ? {} : { readPrimary: primary }),
      snapshots: this.snapshots,
      ...(snapshotsError === undefined ? {} : { snapshotsError }),
      ...(refused === undefined ? {} : { noRoom: noRoomOf(refused) }),
    };
  }
}

const noRoomOf = ({ replica, message, at }: Refused): NoRoom => ({ replica, message, atMs: at });
