import type { BlockTarget, ReplicaLink } from '@lateen/block-engine';
import type { AppError } from '@lateen/errors';
import type { Clock, Logger, Random } from '@lateen/kernel';
import type { FailureCause, ReplicaFailure } from './failure.ts';
import type { ReplicaSetLimits } from './limits.ts';
import type { ReplicaSetMetrics } from './metrics.ts';

/** `RW`: written and read. `WO`: only written, while it is rebuilt. A replica that has failed is in no mode: it is gone. */
export type Mode = 'RW' | 'WO';

/** How an engine starts after one that has not ended cleanly: replicas may differ in writes that were never acknowledged. */
export interface Comparison {
  /** Whose bytes count where replicas differ. */
  readonly primary: string;
  /** Every area in which replicas may differ (what the head of any of them holds), ascending, not overlapping. */
  extents(): AsyncIterable<{ readonly startBytes: bigint; readonly lengthBytes: bigint }>;
}

export interface ReplicaSetOptions {
  volume: string;
  generation: number;
  sizeBytes: bigint;
  /** At least one. All of them have promised this generation. `local`: on this node, preferred for reads. */
  replicas: readonly { name: string; link: ReplicaLink; local?: boolean }[];
  /** Absent: the last engine has ended cleanly, so all replicas are equal. */
  comparison?: Comparison;
  /**
   * Makes a failure durable. Resolves only when the record is in the API server, where the start of every later generation
   * reads it. Called once for a failure, and tries for as long as it takes: everything is held meanwhile. The signal aborts when the
   * set is over. A rejection means that it will never be recorded, and ends the set.
   * @throws AppError `GENERATION_OVER` when another generation has begun
   */
  recordFailure(failure: ReplicaFailure, signal: AbortSignal): Promise<void>;
  clock: Clock;
  random: Random;
  log: Logger;
  metrics?: ReplicaSetMetrics;
  limits?: Partial<ReplicaSetLimits>;
}

/** The only replica that can be read had no room for a request, which has failed with ENOSPC. */
export interface Refused {
  readonly replica: string;
  readonly message: string;
  /** Epoch ms. While requests are refused, at most `refusedTellMs` old. */
  readonly at: number;
}

export interface ReplicaSetState {
  readonly generation: number;
  readonly sizeBytes: bigint;
  readonly modes: ReadonlyMap<string, Mode>;
  /** Requests that have no answer yet, and the bytes they hold. */
  readonly pendingRequests: number;
  readonly pendingBytes: number;
  /** Failures that are not recorded yet; nothing that writes is acknowledged while there is one. */
  readonly unrecorded: readonly ReplicaFailure[];
  /** Epoch ms since when it is so. */
  readonly holdingSince: number | undefined;
  readonly paused: boolean;
  /** Replicas may still differ in writes that were never acknowledged. */
  readonly comparing: boolean;
  /** The latest; it stays when there is room again. */
  readonly refused: Refused | undefined;
  /** Why nothing is served any more. */
  readonly over: AppError | undefined;
}

export type ReplicaSetChange =
  | { readonly kind: 'failed' | 'recorded'; readonly replica: string; readonly cause: FailureCause }
  | { readonly kind: 'refused'; readonly replica: string; readonly message: string }
  | { readonly kind: 'added' | 'promoted'; readonly replica: string }
  | { readonly kind: 'paused' | 'resumed' | 'compared' }
  | { readonly kind: 'over'; readonly error: AppError }
  /** The reader was too slow and has missed some: look at `state`. */
  | { readonly kind: 'missed' };

/** Lets requests go on. Safe to repeat. @throws AppError `PAUSE_EXPIRED` when they have gone on before */
export type Resume = () => Promise<void>;

/** The engine of one volume, of one generation. See the README for what it promises, and ADR 0049 for why. */
export interface ReplicaSet {
  /** What the front end serves. */
  readonly target: BlockTarget;
  readonly state: ReplicaSetState;
  /** From the call of the iterator on; ends after `over` or `stop`. Each reader gets each change. */
  readonly changes: AsyncIterable<ReplicaSetChange>;
  /**
   * No request is in any replica when this resolves, and everything before it is answered; new ones wait. They go on by
   * themselves `maxMs` after the call, and `resume` says so by rejecting.
   * @throws AppError `PAUSED_ALREADY`; `PAUSE_TIMEOUT` when what was under way has not ended within `maxMs`
   */
  pause(o: { maxMs: number; signal: AbortSignal }): Promise<Resume>;
  /**
   * Only while paused: takes writes from now on, serves no reads. Writes that do not cover whole units of `widenBytes` are
   * filled up from another replica: what is below the replica's head is not there yet.
   * @throws AppError `NOT_PAUSED`, `REPLICA_EXISTS`, `WRONG_SIZE`, `COMPARISON_UNDER_WAY`
   */
  addWriting(name: string, link: ReplicaLink, o: { widenBytes: number }): void;
  /**
   * Only while paused: flushes, ends the link and goes on with the one that `open` makes, which is called when the old one has
   * ended. A replica that is not back has failed, also when the pause ends first. The only one that can be read stays as it is when it has no
   * room to flush.
   * @throws what `open` throws; AppError `REPLICA_IO` with ENOSPC; AppError `NOT_PAUSED`, `NO_SUCH_REPLICA`, `WRONG_SIZE`
   */
  relink(name: string, open: () => Promise<ReplicaLink>): Promise<void>;
  /**
   * Only while paused, and after the replica has all data: records it as healthy and serves reads from it. The record is
   * called from here, so that a failure which comes meanwhile is recorded after it. `recordHealthy` must be guarded by what it
   * has read (resourceVersion): it must never take effect after a later record of a failure.
   * @throws what `recordHealthy` throws; the replica is then dropped and its failure is recorded
   */
  promote(name: string, recordHealthy: (signal: AbortSignal) => Promise<void>): Promise<void>;
  /** As if it had failed by itself; resolves when that is recorded. @throws AppError `LAST_REPLICA`, `NO_SUCH_REPLICA` */
  drop(name: string, cause: FailureCause): Promise<void>;
  /** Only while paused, when all links have the new size. @throws AppError `NOT_PAUSED`, `WRONG_SIZE` */
  resize(sizeBytes: bigint): void;
  /**
   * Takes no requests any more, waits for those under way, flushes, ends the links. `clean`: every write is on every RW
   * replica. An abort ends the wait: what is under way fails, and the end is not clean. While a failure is not recorded nothing else
   * ends it, so the signal has to have a deadline; and whatever serves `target` waits for its requests, so it is ended after this.
   */
  stop(o: { signal: AbortSignal }): Promise<{ clean: boolean }>;
}
