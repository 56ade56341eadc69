import { describe, expect, it } from 'vitest';
import type { AsyncBR, DataPathCallbacks } from '../async-br.ts';

/** One data path whose engine and surroundings the suite decides. */
export interface AsyncBRUnderTest<I, P> {
  path: AsyncBR<I, P>;
  exposed: I;
  param: P;
  /** What the engine does, once it runs; in the watcher form, what the mover reports. */
  engine: {
    progress(totalBytes: number, doneBytes: number): Promise<void> | void;
    complete(direction: Direction): Promise<void> | void;
    fail(message: string): Promise<void> | void;
  };
  /** All steps that end the path; `path.cancel` is one of them. */
  cancel(): Promise<void> | void;
  /** Makes `init` hang until its signal aborts. */
  blockInit(): void;
  /** Lets everything that can happen now happen. */
  settle(): Promise<void>;
  /** Engines that run, subscriptions, timers: what the path holds. */
  held(): number;
}

export type Direction = 'backup' | 'restore';
export type SetUpAsyncBR<I, P> = (callbacks: DataPathCallbacks) => AsyncBRUnderTest<I, P>;

const alive = (): { signal: AbortSignal } => ({ signal: new AbortController().signal });

/** The contract of {@link AsyncBR}, for the in-process form and the watcher form alike. */
export function describeAsyncBR<I, P>(name: string, setUp: SetUpAsyncBR<I, P>): void {
  for (const direction of ['backup', 'restore'] as const) {
    describe(`AsyncBR: ${name}, ${direction}`, () => {
      const make = () => subject(setUp, direction);
      reporting(make, direction);
      cancelling(make, direction);
      closing(make, direction);
    });
  }
}

function subject<I, P>(setUp: SetUpAsyncBR<I, P>, direction: Direction) {
  const calls: string[] = [];
  const under = setUp({
    onStarted: () => calls.push('started'),
    onProgress: ({ totalBytes = 0, doneBytes = 0 }) => calls.push(`${doneBytes}/${totalBytes}`),
    onCompleted: (result) => calls.push('snapshotID' in result ? 'backup completed' : 'restore completed'),
    onFailed: ({ message }) => calls.push(`failed: ${message}`),
    onCancelled: () => calls.push('canceled'),
  });
  const { path, exposed, param } = under;
  const init = () => path.init(exposed, alive());
  const start = () => (direction === 'backup' ? path.startBackup({}, param) : path.startRestore('id', {}, param));
  const begin = async () => {
    await init();
    await start();
    await under.settle();
  };
  return { ...under, calls, init, start, begin };
}

type Make = () => ReturnType<typeof subject>;

function reporting(make: Make, direction: Direction): void {
  it('tells the start, the progress and one completion, in this order', async () => {
    const { begin, engine, settle, calls, path, held } = make();
    await begin();
    await engine.progress(10, 0);
    await engine.progress(10, 4);
    await engine.complete(direction);
    await settle();
    expect(calls).toEqual(['started', '0/10', '4/10', `${direction} completed`]);
    await path.close();
    expect(held()).toBe(0);
  });

  it('lets progress neither go back nor repeat', async () => {
    const { begin, engine, settle, calls, path } = make();
    await begin();
    for (const done of [1, 5, 5, 3, 6]) await engine.progress(10, done);
    await settle();
    expect(calls).toEqual(['started', '1/10', '5/10', '6/10']);
    await path.close();
  });

  it('tells a failure in its words, once, and nothing after it', async () => {
    const { begin, engine, settle, calls, path } = make();
    await begin();
    await engine.fail('disk full');
    await settle();
    await engine.progress(10, 9);
    await settle();
    expect(calls).toEqual(['started', expect.stringMatching(/^failed: .*disk full/)]);
    await path.close();
    expect(calls).toHaveLength(2);
  });

  it('does nothing before it is started', async () => {
    const { init, settle, calls, path, held } = make();
    await init();
    await settle();
    expect(calls).toEqual([]);
    await path.close();
    expect(held()).toBe(0);
  });

  it('cannot be started before init, nor twice', async () => {
    const { start, begin, path } = make();
    await expect(start()).rejects.toThrow('init must come before the start');
    await begin();
    await expect(start()).rejects.toThrow('started once');
    await path.close();
  });
}

function cancelling(make: Make, direction: Direction): void {
  it('is canceled, once, however often it is asked to', async () => {
    const { begin, cancel, settle, calls, path } = make();
    await begin();
    await cancel();
    path.cancel();
    await settle();
    path.cancel();
    await settle();
    expect(calls).toEqual(['started', 'canceled']);
    await path.close();
  });

  it('is canceled when it was asked to before the start, without a start', async () => {
    const { init, start, cancel, settle, calls, path } = make();
    await init();
    await cancel();
    await start();
    await settle();
    expect(calls).toEqual(['canceled']);
    await path.close();
  });

  it('is not canceled when it has ended', async () => {
    const { begin, engine, cancel, settle, calls, path } = make();
    await begin();
    await engine.complete(direction);
    await settle();
    await cancel();
    await settle();
    expect(calls).toEqual(['started', `${direction} completed`]);
    await path.close();
  });
}

function closing(make: Make, direction: Direction): void {
  it.each(['before init', 'after init', 'while it runs', 'when it has ended'] as const)(
    'can be closed %s, twice and at once, and is silent then',
    async (when) => {
      const { init, begin, engine, settle, calls, path, held } = make();
      if (when === 'after init') await init();
      if (when === 'while it runs' || when === 'when it has ended') await begin();
      if (when === 'when it has ended') await engine.complete(direction);
      await settle();
      const before = [...calls];
      await Promise.all([path.close(), path.close()]);
      await path.close();
      if (when === 'while it runs') {
        await engine.progress(10, 9);
        await engine.fail('too late');
      }
      await settle();
      expect(calls).toEqual(before);
      expect(held()).toBe(0);
    },
  );

  it('leaves nothing behind when init is aborted, before and meanwhile', async () => {
    for (const when of ['before', 'meanwhile']) {
      const { path, exposed, blockInit, settle, calls, held } = make();
      blockInit();
      const stop = new AbortController();
      if (when === 'before') stop.abort(new Error('enough'));
      const initialising = path.init(exposed, { signal: stop.signal });
      initialising.catch(() => {});
      await settle();
      stop.abort(new Error('enough'));
      await expect(initialising).rejects.toThrow('enough');
      expect(held()).toBe(0);
      await path.close();
      expect(calls).toEqual([]);
    }
  });
}
