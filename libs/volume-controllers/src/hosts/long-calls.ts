import { type BackoffLimits, backoffMs, type Clock, type Logger, type Random } from '@lateen/kernel';
import type { WorkQueue } from '@lateen/kube-runtime';

/** Calls that are followed at once by one manager; each is one stream that mostly waits. More begin when others have ended. */
export const longCallsMax = 200;

/** Between two attempts of a call that failed: this process cannot correct the cause. */
const againAfter: BackoffLimits = { firstMs: 5_000, maxMs: 300_000, factor: 2, jitter: 0.2 };

export interface LongCallPorts {
  readonly clock: Clock;
  readonly random: Random;
  readonly log: Logger;
}

export interface LongCallOptions {
  /**
   * `at once`: a call may begin again as soon as it has ended well. `rarer`: one for the same as the last time waits as after a failure,
   * because that one has not done it: a purge leaves what somebody reads.
   */
  readonly repeats: 'at once' | 'rarer';
}

interface Followed {
  readonly what: string;
  readonly stop: AbortController;
  /** The key is woken though the call was let go of. */
  wakes: boolean;
}

/**
 * Streams of hosts that last: rebuilds, purges. They are followed beside the passes, one for each key, so that no worker waits for them; what they
 * come to is told by the watch of the host. A key whose call has ended or may be tried again is woken. Memory: the calls that are followed, and a
 * word for each key that had one, until it is forgotten.
 */
export class LongCalls {
  readonly #name: string;
  readonly #ports: LongCallPorts;
  readonly #followed = new Map<string, Followed>();
  readonly #failures = new Map<string, number>();
  readonly #repeats: LongCallOptions['repeats'];
  /** What the last call of a key that ended well was for, and how often in a row. */
  readonly #done = new Map<string, { readonly what: string; readonly times: number }>();
  #queue: Pick<WorkQueue, 'add'> | undefined;

  constructor(name: string, ports: LongCallPorts, { repeats }: LongCallOptions = { repeats: 'at once' }) {
    this.#name = name;
    this.#ports = ports;
    this.#repeats = repeats;
  }

  /** Where keys are woken. */
  feed(queue: Pick<WorkQueue, 'add'>): void {
    this.#queue = queue;
  }

  get size(): number {
    return this.#followed.size;
  }

  /** A call of the key is under way, or waits for its next try. */
  has(key: string): boolean {
    return this.#followed.has(key);
  }

  /** Begins the call unless one of the key is under way, or has just failed. `signal` ends it, and so does {@link forget}. */
  begin(key: string, what: string, call: (signal: AbortSignal) => AsyncIterable<unknown>, signal: AbortSignal): void {
    if (this.#followed.has(key) || this.#followed.size >= longCallsMax || signal.aborted) return;
    const stop = new AbortController();
    this.#followed.set(key, { what, stop, wakes: false });
    void this.#follow(key, what, call, AbortSignal.any([signal, stop.signal]));
  }

  /**
   * Lets go of a call of the key that is for something else than `what`: its host may never answer. True while it has not ended; the key is
   * woken then.
   */
  letGoOfOther(key: string, what: string): boolean {
    const followed = this.#followed.get(key);
    if (followed === undefined || followed.what === what) return false;
    followed.wakes = true;
    followed.stop.abort();
    return true;
  }

  /** The key is another manager's, or gone: its call is let go of, and whoever has the object asks again. */
  forget(key: string): void {
    this.#failures.delete(key);
    this.#done.delete(key);
    this.#followed.get(key)?.stop.abort();
  }

  /** Keeps the key from its next call for a time; whoever then finds the same to be done has it done more rarely. */
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
