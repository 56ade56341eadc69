import { getEventListeners } from 'node:events';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { describe, expect, it } from 'vitest';
import { orAborted, settledOrAborted } from './abort.ts';

setFlagsFromString('--expose-gc');
const collectGarbage = runInNewContext('gc') as () => void;

const reason = new Error('enough');
const pending = new Promise<never>(() => {});
const listeners = (signal: AbortSignal) => getEventListeners(signal, 'abort').length;

/** How many of what was made are still held by somebody, once all that can go is gone. */
async function held(made: readonly WeakRef<object>[]): Promise<number> {
  // What a WeakRef was made for stays until the job ends that made it.
  for (let turn = 0; turn < 3; turn++) {
    await new Promise((resolve) => setImmediate(resolve));
    collectGarbage();
  }
  return made.filter((each) => each.deref() !== undefined).length;
}

describe('a promise or an abort', () => {
  it('is what the promise becomes', async () => {
    const { signal } = new AbortController();
    expect(await orAborted(Promise.resolve(1), signal)).toBe(1);
    await expect(orAborted(Promise.reject(reason), signal)).rejects.toBe(reason);
    expect(await orAborted(Promise.resolve(1), undefined)).toBe(1);
  });
  it('rejects with the reason of the signal, also of one that has aborted already', async () => {
    const stop = new AbortController();
    const waits = [orAborted(pending, stop.signal), orAborted(pending, stop.signal)];
    stop.abort(reason);
    for (const each of [...waits, orAborted(Promise.resolve(1), stop.signal)]) await expect(each).rejects.toBe(reason);
  });
  it('tells everybody who waits for the same promise, also who comes when it has settled', async () => {
    const work = Promise.withResolvers<number>();
    const { signal } = new AbortController();
    const waits = [orAborted(work.promise, signal), orAborted(work.promise, new AbortController().signal)];
    work.resolve(7);
    expect(await Promise.all(waits)).toEqual([7, 7]);
    expect(await orAborted(work.promise, signal)).toBe(7);
  });
  it('leaves no rejection behind that nobody handles', async () => {
    const unhandled: unknown[] = [];
    const note = (error: unknown) => unhandled.push(error);
    process.on('unhandledRejection', note);
    const work = Promise.withResolvers<never>();
    await expect(orAborted(work.promise, AbortSignal.abort(reason))).rejects.toBe(reason);
    work.reject(new Error('late'));
    await held([]);
    process.off('unhandledRejection', note);
    expect(unhandled).toEqual([]);
  });
  it('settledOrAborted resolves with either, well or badly', async () => {
    const stop = new AbortController();
    await settledOrAborted(Promise.reject(reason), stop.signal);
    const waits = settledOrAborted(pending, stop.signal);
    stop.abort(reason);
    expect(await waits).toBeUndefined();
  });
});

describe('a promise or an abort, again and again', () => {
  const times = 200;
  /** The last round may still be on the stack. */
  const few = 5;

  it('of one signal: holds nothing of the promises, and no listener', async () => {
    const { signal } = new AbortController();
    const made: WeakRef<object>[] = [];
    for (let n = 0; n < times; n++) {
      const chunk = { n };
      made.push(new WeakRef(chunk));
      await orAborted(Promise.resolve(chunk), signal);
    }
    expect(listeners(signal)).toBe(0);
    expect(await held(made)).toBeLessThan(few);
  });
  it('of one promise: holds nothing of the signals, nor of who waited', async () => {
    const work = Promise.withResolvers<void>();
    const made: WeakRef<object>[] = [];
    for (let n = 0; n < times; n++) {
      const stop = new AbortController();
      const wait = orAborted(work.promise, stop.signal);
      made.push(new WeakRef(stop.signal), new WeakRef(wait));
      stop.abort(reason);
      await wait.catch(() => {});
    }
    expect(await held(made)).toBeLessThan(few);
    work.resolve();
  });
  it('is what Promise.race is not: it holds all of them', async () => {
    const long = Promise.withResolvers<never>();
    const made: WeakRef<object>[] = [];
    for (let n = 0; n < times; n++) {
      const chunk = { n };
      made.push(new WeakRef(chunk));
      await Promise.race([Promise.resolve(chunk), long.promise]);
    }
    expect(await held(made)).toBeGreaterThan(times / 2);
    expect(long).toBeDefined();
  });
});
