import type { BlockTarget, ReplicaLink } from '@lateen/block-engine';
import type { AppError } from '@lateen/errors';
import type { Clock, Logger, Random } from '@lateen/kernel';
import type { FailureCause, ReplicaFailure } from './failure.ts';
import type { ReplicaSetLimits } from './limits.ts';
import type { ReplicaSetMetrics } from './metrics.ts';

/** `RW`: written and read. `WO`: only written, while it is rebuilt. A failed replica has no mode: it has left the set. */
export type Mode = 'RW' | 'WO';

/** How an engine starts after an engine that did not end cleanly: replicas may differ in writes that were never acknowledged. */
export interface Comparison {
  /** The replica whose data counts where replicas differ. */
  readonly primary: string;
  /** Every area in which replicas may differ (all that any replica's head holds), ascending, not overlapping. */
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
   * Makes a failure durable. Resolves only when the record is in the API server, where the start of every later generation reads it. Called once for
   * each failure, and retries without a limit: everything is held meanwhile. The signal aborts when the set is over. A rejection means that the
   * failure will never be recorded, and ends the set.
   * @throws AppError `GENERATION_OVER` when another generation has begun
   */
  recordFailure(failure: ReplicaFailure, signal: AbortSignal): Promise<void>;
  clock: Clock;
  random: Random;
  log: Logger;
  metrics?: ReplicaSetMetrics;
  limits?: Partial<ReplicaSetLimits>;
}

/** The only readable replica had no space for a request, which failed with ENOSPC. */
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
  /** Failures that are not recorded yet; no change is acknowledged while there is one. */
  readonly unrecorded: readonly ReplicaFailure[];
  /** Epoch ms since when changes are held back. */
  readonly holdingSince: number | undefined;
  readonly paused: boolean;
  /** Replicas may still differ in writes that were never acknowledged. */
  readonly comparing: boolean;
  /** The latest refusal; it stays when there is space again. */
  readonly refused: Refused | undefined;
  /** Why the set is over and serves nothing any more. */
  readonly over: AppError | undefined;
}

export type ReplicaSetChange =
  | { readonly kind: 'failed' | 'recorded'; readonly replica: string; readonly cause: FailureCause }
  | { readonly kind: 'refused'; readonly replica: string; readonly message: string }
  | { readonly kind: 'added' | 'promoted'; readonly replica: string }
  | { readonly kind: 'paused' | 'resumed' | 'compared' }
  | { readonly kind: 'over'; readonly error: AppError }
  /** The reader was too slow and has missed some changes: it has to read `state`. */
  | { readonly kind: 'missed' };

/**
 * Lets requests continue. Safe to repeat. @throws AppError `PAUSE_EXPIRED` when the pause has expired and requests have continued before this call
 */
export type Resume = () => Promise<void>;

/** The engine of one volume, of one generation. See the README for what it promises, and ADR 0049 for why. */
export interface ReplicaSet {
  /** What the front end serves. */
  readonly target: BlockTarget;
  readonly state: ReplicaSetState;
  /** Changes since the iterator was called; ends after `over` or `stop`. Each reader gets each change. */
  readonly changes: AsyncIterable<ReplicaSetChange>;
  /**
   * Holds back new requests. Resolves when no replica has a pending request and every earlier request is answered. After `maxMs` from the call
   * requests continue by themselves, and `resume` then rejects.
   * @throws AppError `PAUSED_ALREADY`; `PAUSE_TIMEOUT` when the pending requests have not ended within `maxMs`
   */
  pause(o: { maxMs: number; signal: AbortSignal }): Promise<Resume>;
  /**
   * Only while paused: adds a replica that takes writes from now on and serves no reads. Writes that do not cover whole units of `widenBytes` are
   * filled up with data of another replica, because the layers below this replica's head are not present yet.
   * @throws AppError `NOT_PAUSED`, `REPLICA_EXISTS`, `WRONG_SIZE`, `COMPARISON_UNDER_WAY`
   */
  addWriting(name: string, link: ReplicaLink, o: { widenBytes: number }): void;
  /**
   * Only while paused: flushes, ends the link and continues with the link that `open` makes; `open` is called when the old link has ended. A replica
   * that has no new link has failed, also when the pause ends first. The only readable replica stays unchanged when it has no space to flush.
   * @throws what `open` throws; AppError `REPLICA_IO` with ENOSPC; AppError `NOT_PAUSED`, `NO_SUCH_REPLICA`, `WRONG_SIZE`
   */
  relink(name: string, open: () => Promise<ReplicaLink>): Promise<void>;
  /**
   * Only while paused, and after the replica has all data: records it as healthy and serves reads from it. The record is written from here, so that a
   * failure in the meantime is recorded after it. `recordHealthy` must be guarded by what it has read (resourceVersion): it must never take effect
   * after a later record of a failure.
   * @throws what `recordHealthy` throws; the replica is then dropped and its failure is recorded
   */
  promote(name: string, recordHealthy: (signal: AbortSignal) => Promise<void>): Promise<void>;
  /** Treats the replica as failed; resolves when that is recorded. @throws AppError `LAST_REPLICA`, `NO_SUCH_REPLICA` */
  drop(name: string, cause: FailureCause): Promise<void>;
  /** Only while paused, when all links have the new size. @throws AppError `NOT_PAUSED`, `WRONG_SIZE` */
  resize(sizeBytes: bigint): void;
  /**
   * Accepts no more requests, waits for the pending ones, flushes, ends the links. `clean`: every write is on every RW replica. An abort ends the
   * wait: pending requests fail, and the end is not clean. While a failure is not recorded only the abort ends the wait, so the signal must have a
   * deadline; the server of `target` waits for its requests, so it has to be ended after this.
   */
  stop(o: { signal: AbortSignal }): Promise<{ clean: boolean }>;
}
