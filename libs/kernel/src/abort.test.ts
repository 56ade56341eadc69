import { describe, expect, it } from 'vitest';
import { orAborted, settledOrAborted, unlessAborted } from './abort.ts';

const reason = new Error('enough');
const pending = new Promise<never>(() => {});
describe('orAborted', () => {
  it('settles like the promise', async () => {
    const { signal } = new AbortController();
    expect(await orAborted(Promise.resolve(1), signal)).toBe(1);
    await expect(orAborted(Promise.reject(reason), signal)).rejects.toBe(reason);
    expect(await orAborted(Promise.resolve(1), undefined)).toBe(1);
  });
  it('rejects with the reason of the signal, even if it was already aborted', async () => {
    const stop = new AbortController();
    const waits = [orAborted(pending, stop.signal), orAborted(pending, stop.signal)];
    stop.abort(reason);
    for (const each of [...waits, orAborted(Promise.resolve(1), stop.signal)]) await expect(each).rejects.toBe(reason);
  });
  it('settles for all who wait for the same promise, also after it has settled', async () => {
    const work = Promise.withResolvers<number>();
    const { signal } = new AbortController();
    const waits = [orAborted(work.promise, signal), orAborted(work.promise, new AbortController().signal)];
    work.resolve(7);
    expect(await Promise.all(waits)).toEqual([7, 7]);
    expect(await orAborted(work.promise, signal)).toBe(7);
  });
  it('leaves no unhandled rejection', async () => {
    const unhandled: unknown[] = [];
    const note = (error: unknown) => unhandled.push(error);
    process.on('unhandledRejection', note);
    const work = Promise.withResolvers<never>();
    await expect(orAborted(work.promise, AbortSignal.abort(reason))).rejects.toBe(reason);
    work.reject(new Error('late'));
    await new Promise((resolve) => setImmediate(resolve));
    process.off('unhandledRejection', note);
    expect(unhandled).toEqual([]);
  });
  it('unlessAborted gives undefined after an abort, and otherwise the result of the promise', async () => {
    const stop = new AbortController();
    expect(await unlessAborted(Promise.resolve(1), stop.signal)).toBe(1);
    await expect(unlessAborted(Promise.reject(reason), stop.signal)).rejects.toBe(reason);
    const waits = unlessAborted(pending, stop.signal);
    stop.abort(reason);
    expect(await waits).toBeUndefined();
  });
  it('settledOrAborted resolves with either result or error', async () => {
    const stop = new AbortController();
    await settledOrAborted(Promise.reject(reason), stop.signal);
    const waits = settledOrAborted(pending, stop.signal);
    stop.abort(reason);
    expect(await waits).toBeUndefined();
  });
});
