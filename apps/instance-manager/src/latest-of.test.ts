import { describe, expect, it } from 'vitest';
import { latestOf } from './latest-of.ts';

const never = new AbortController().signal;
const turn = () => new Promise((resolve) => setImmediate(resolve));

describe('the latest progress of work', () => {
  it('is returned at each read, and ends with the result of the work', async () => {
    const steps = Promise.withResolvers<(n: number) => void>();
    const end = Promise.withResolvers<readonly number[]>();
    const stream = latestOf<number>((tell) => {
      steps.resolve(tell);
      return end.promise;
    }, never);
    const first = stream.next();
    const tell = await steps.promise;
    tell(1);
    tell(2);
    expect(await first).toEqual({ value: 2, done: false });
    tell(3);
    expect(await stream.next()).toEqual({ value: 3, done: false });
    end.resolve([9]);
    expect(await stream.next()).toEqual({ value: 9, done: false });
    expect(await stream.next()).toEqual({ value: undefined, done: true });
  });

  it('fails when the work fails', async () => {
    const stream = latestOf<number>(async () => {
      throw new Error('the disk is gone');
    }, never);
    await expect(stream.next()).rejects.toThrow('the disk is gone');
  });

  it('without a reader ends the work, and waits for its end', async () => {
    let state = 'works';
    const stream = latestOf<number>(async (tell, signal) => {
      tell(1);
      await new Promise((resolve) => signal.addEventListener('abort', resolve));
      await turn();
      state = 'ended';
      return [];
    }, never);
    await stream.next();
    await stream.return();
    expect(state).toBe('ended');
  });

  it('rejects with the reason of an abort', async () => {
    const stop = new AbortController();
    const stream = latestOf<number>(
      (_, signal) => new Promise((_resolve, reject) => signal.addEventListener('abort', () => reject(signal.reason))),
      stop.signal,
    );
    const next = stream.next();
    stop.abort(new Error('told to stop'));
    await expect(next).rejects.toThrow('told to stop');
  });
});
