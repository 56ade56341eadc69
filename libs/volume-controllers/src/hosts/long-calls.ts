import { type BackoffLimits, backoffMs, type Clock, type Logger, type Random } from '@lateen/kernel';
import type { WorkQueue } from '@lateen/kube-runtime';

/** Calls that one manager follows at once; each is one stream that is idle most of the time. Further calls begin when others have ended. */
export const longCallsMax = 200;

/** Delay between two attempts of a failed call: this process cannot correct the cause. */
const againAfter: BackoffLimits = { firstMs: 5_000, maxMs: 300_000, factor: 2, jitter: 0.2 };

export interface LongCallPorts {
  readonly clock: Clock;
  readonly random: Random;
  readonly log: Logger;
}

export interface LongCallOptions {
  /**
   * `at once`: a call may begin again as soon as it has succeeded. `rarer`: a call for the same thing as the last one waits as after a failure,
   * because the last one did not complete the work: a purge leaves layers that are being read.
   */
  readonly repeats: 'at once' | 'rarer';
}

interface Followed {
  readonly what: string;
  readonly stop: AbortController;
  /** The key is queued although the call was abandoned. */
  wakes: boolean;
}

/**
 * Long streams of hosts: rebuilds, purges. They are followed beside the passes, one for each key, so that no worker waits for them; their result
 * arrives by the watch of the host. A key is queued when its call has ended or may be retried. Memory: the followed calls, and a string for each key
 * that had one, until {@link forget}.
 */
export class LongCalls {
  readonly #name: string;
  readonly #ports: LongCallPorts;
  readonly #followed = new Map<string, Followed>();
  readonly #failures = new Map<string, number>();
  readonly #repeats: LongCallOptions['repeats'];
  /** What the last successful call of a key was for, and how often in a row. */
  readonly #done = new Map<string, { readonly what: string; readonly times: number }>();
  #queue: Pick<WorkQueue, 'add'> | undefined;

  constructor(name: string, ports: LongCallPorts, { repeats }: LongCallOptions = { repeats: 'at once' }) {
    this.#name = name;
    this.#ports = ports;
    this.#repeats = repeats;
  }

  /** Sets the queue that keys are added to. */
  feed(queue: Pick<WorkQueue, 'add'>): void {
    this.#queue = queue;
  }

  get size(): number {
    return this.#followed.size;
  }

  /** True while a call of the key runs, or waits for its next attempt. */
  has(key: string): boolean {
    return this.#followed.has(key);
  }

  /** Begins the call unless a call of the key runs or has just failed. `signal` ends it, and so does {@link forget}. */
  begin(key: string, what: string, call: (signal: AbortSignal) => AsyncIterable<unknown>, signal: AbortSignal): void {
    if (this.#followed.has(key) || this.#followed.size >= longCallsMax || signal.aborted) return;
    const stop = new AbortController();
    this.#followed.set(key, { what, stop, wakes: false });
    void this.#follow(key, what, call, AbortSignal.any([signal, stop.signal]));
  }

  /**
   * Abandons a call of the key that is for something else than `what`, because its host may never answer. True until that call has ended; the key is
   * queued then.
   */
  letGoOfOther(key: string, what: string): boolean {
    const followed = this.#followed.get(key);
    if (followed === undefined || followed.what === what) return false;
    followed.wakes = true;
    followed.stop.abort();
    return true;
  }

  /** Another manager has the key now, or its object is gone: its call is abandoned; the new owner asks again. */
  forget(key: string): void {
    this.#failures.delete(key);
    this.#done.delete(key);
    this.#followed.get(key)?.stop.abort();
  }

  /** Blocks the next call of the key for a time, which grows when the same work is found again. */
  async #rest(key: string, what: string, signal: AbortSignal): Promise<void> {
    const { clock, random } = this.#ports;
    const last = this.#done.get(key);
    const times = last?.what === what ? last.times + 1 : 1;
    this.#done.set(key, { what, times });
    await clock.sleep(backoffMs(times, againAfter, random), signal).catch(() => {});
  }

  async #follow(
    key: string,
    what: string,
    call: (signal: AbortSignal) => AsyncIterable<unknown>,
    signal: AbortSignal,
  ): Promise<void> {
    const { clock, random, log } = this.#ports;
    const fields = { call: this.#name, key, what };
    try {
      log.info(fields, 'a long call of a host begins');
      for await (const _ of call(signal)) signal.throwIfAborted();
      this.#failures.delete(key);
      log.info(fields, 'a long call of a host has ended');
      if (this.#repeats === 'rarer') await this.#rest(key, what, signal);
    } catch (error) {
      if (!signal.aborted) {
        const failures = (this.#failures.get(key) ?? 0) + 1;
        this.#failures.set(key, failures);
        const waitMs = backoffMs(failures, againAfter, random);
        log.warn({ ...fields, err: error, retryInMs: waitMs, failures }, 'a long call of a host has failed');
        await clock.sleep(waitMs, signal).catch(() => {});
      }
    } finally {
      const isWanted = !signal.aborted || this.#followed.get(key)?.wakes === true;
      this.#followed.delete(key);
      if (isWanted) this.#queue?.add(key);
    }
  }
}
