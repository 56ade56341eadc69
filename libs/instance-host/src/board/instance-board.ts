import { isDeepStrictEqual } from 'node:util';
import { type Call, hostHeartbeatMs, type Instance, type InstanceEvent, type InstanceRef } from '@lateen/block-engine';
import { type Clock, settledOrAborted } from '@lateen/kernel';

interface Watcher {
  /** Changes that have not been sent, each instance once: a slow reader gets its latest state, and memory is bounded. */
  readonly pending: Map<string, InstanceRef>;
  wake: PromiseWithResolvers<void>;
}

/** The instances of a node and the readers that watch them (`watch` of `InstanceHost`). */
export class InstanceBoard {
  readonly #clock: Clock;
  readonly #instances = new Map<string, Instance>();
  readonly #watchers = new Set<Watcher>();

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  get(ref: InstanceRef): Instance | undefined {
    return this.#instances.get(keyOf(ref));
  }

  all(): readonly Instance[] {
    return [...this.#instances.values()];
  }

  /** Sends nothing when nothing has changed. */
  set(instance: Instance): void {
    if (isDeepStrictEqual(this.get(instance), instance)) return;
    this.#instances.set(keyOf(instance), instance);
    this.#tell(instance);
  }

  /** Does nothing when it does not exist. */
  remove(ref: InstanceRef): void {
    if (this.#instances.delete(keyOf(ref))) this.#tell(ref);
  }

  /**
   * The whole state, `synced`, then the latest state of each changed instance; a heartbeat when nothing changes. Ends with the reason of the abort.
   */
  async *watch({ signal }: Call): AsyncGenerator<InstanceEvent, never, undefined> {
    signal.throwIfAborted();
    const watcher: Watcher = { pending: new Map(), wake: Promise.withResolvers() };
    this.#watchers.add(watcher);
    try {
      for (const instance of this.all()) yield { type: 'changed', instance };
      yield { type: 'synced' };
      for (;;) {
        const woken = watcher.wake.promise;
        for (const [key, ref] of watcher.pending) {
          signal.throwIfAborted();
          watcher.pending.delete(key);
          yield this.#eventOf(key, ref);
        }
        signal.throwIfAborted();
        if (watcher.pending.size > 0) continue;
        const silent = this.#clock.deadline(hostHeartbeatMs);
        await settledOrAborted(woken, AbortSignal.any([signal, silent]));
        signal.throwIfAborted();
        if (watcher.pending.size === 0 && silent.aborted) yield { type: 'heartbeat', atMs: this.#clock.now() };
      }
    } finally {
      this.#watchers.delete(watcher);
    }
  }

  #eventOf(key: string, { kind, name }: InstanceRef): InstanceEvent {
    const instance = this.#instances.get(key);
    return instance === undefined ? { type: 'gone', instance: { kind, name } } : { type: 'changed', instance };
  }

  #tell(ref: InstanceRef): void {
    for (const watcher of this.#watchers) {
      watcher.pending.set(keyOf(ref), ref);
      watcher.wake.resolve();
      watcher.wake = Promise.withResolvers();
    }
  }
}

const keyOf = ({ kind, name }: InstanceRef): string => `${kind} ${name}`;
