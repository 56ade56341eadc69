import { AppError } from '@lateen/errors';
import { type Clock, settledOrAborted } from '@lateen/kernel';

/** One thing that a call works on. `shared` calls may overlap each other, an `exclusive` one overlaps nothing. */
export interface InFlightKey {
  id: string;
  mode: 'shared' | 'exclusive';
}

/**
 * One operation per volume at a time (CSI specification, "Concurrency": answer ABORTED to the second one). A second call
 * waits a moment first: most operations end in less, and after ABORTED kubelet and the sidecars stay away for longer and
 * tell the user of an error.
 */
export class InFlight {
  #released = Promise.withResolvers<void>();
  readonly #holders = new Map<string, { shared: number; exclusive: boolean }>();

  /**
   * Takes all keys or none. Dispose the result to release them.
   * @throws AppError `ABORTED`, retry `soon`, when another call holds one of them.
   */
  enter(keys: readonly InFlightKey[]): Disposable {
    const busy = keys.find((key) => this.#isBusy(key));
    if (busy !== undefined) {
      throw new AppError('ABORTED', `another operation on ${busy.id} is still running`, {
        retry: 'soon',
        nextStep: 'Repeat the call when it has ended.',
      });
    }
    for (const key of keys) this.#take(key);
    let held = true;
    return {
      [Symbol.dispose]: () => {
        if (!held) return;
        held = false;
        for (const key of keys) this.#release(key);
        const { resolve } = this.#released;
        this.#released = Promise.withResolvers<void>();
        resolve();
      },
    };
  }

  /**
   * As {@link enter}, but waits up to `waitMs` for the holders to end.
   * @throws AppError `ABORTED` afterwards; the signal's reason when that aborts first.
   */
  async enterWithin(
    keys: readonly InFlightKey[],
    { waitMs, clock, signal }: { waitMs: number; clock: Clock; signal: AbortSignal },
  ): Promise<Disposable> {
    signal.throwIfAborted();
    // Most calls need not wait; a timer and two signals for each would cost more than the call.
    if (!keys.some((key) => this.#isBusy(key))) return this.enter(keys);
    const late = clock.deadline(waitMs);
    const either = AbortSignal.any([signal, late]);
    for (;;) {
      signal.throwIfAborted();
      if (late.aborted || !keys.some((key) => this.#isBusy(key))) return this.enter(keys);
      await settledOrAborted(this.#released.promise, either);
    }
  }

  #isBusy(key: InFlightKey): boolean {
    const holder = this.#holders.get(key.id);
    if (holder === undefined) return false;
    return holder.exclusive || key.mode === 'exclusive';
  }

  #take(key: InFlightKey): void {
    const holder = this.#holders.get(key.id) ?? { shared: 0, exclusive: false };
    if (key.mode === 'shared') holder.shared++;
    else holder.exclusive = true;
    this.#holders.set(key.id, holder);
  }

  #release(key: InFlightKey): void {
    const holder = this.#holders.get(key.id);
    if (holder === undefined) return;
    if (key.mode === 'shared') holder.shared--;
    else holder.exclusive = false;
    if (holder.shared === 0 && !holder.exclusive) this.#holders.delete(key.id);
  }
}
