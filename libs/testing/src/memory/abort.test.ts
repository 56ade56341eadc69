import { getEventListeners } from 'node:events';
import { orAborted } from '@lateen/kernel';
import { describe, expect, it } from 'vitest';
import { stillHeld } from './still-held.ts';

const reason = new Error('enough');

describe('memory of a promise with an abort signal, used repeatedly', () => {
  const times = 200;
  /** Objects of the last round may still be on the stack. */
  const few = 5;

  it('for one signal: keeps none of the promises, and no listener', async () => {
    const { signal } = new AbortController();
    const made: WeakRef<object>[] = [];
    for (let n = 0; n < times; n++) {
      const chunk = { n };
      made.push(new WeakRef(chunk));
      await orAborted(Promise.resolve(chunk), signal);
    }
    expect(getEventListeners(signal, 'abort')).toEqual([]);
    expect(await stillHeld(made)).toBeLessThan(few);
  });
  it('for one promise: keeps none of the signals, and none of the waiters', async () => {
    const work = Promise.withResolvers<void>();
    const made: WeakRef<object>[] = [];
    for (let n = 0; n < times; n++) {
      const stop = new AbortController();
      const wait = orAborted(work.promise, stop.signal);
      made.push(new WeakRef(stop.signal), new WeakRef(wait));
      stop.abort(reason);
      await wait.catch(() => {});
    }
    expect(await stillHeld(made)).toBeLessThan(few);
    work.resolve();
  });
  it('shows that Promise.race, in contrast, keeps all of them', async () => {
    const long = Promise.withResolvers<never>();
    const made: WeakRef<object>[] = [];
    for (let n = 0; n < times; n++) {
      const chunk = { n };
      made.push(new WeakRef(chunk));
      await Promise.race([Promise.resolve(chunk), long.promise]);
    }
    expect(await stillHeld(made)).toBeGreaterThan(times / 2);
    expect(long).toBeDefined();
  });
});
