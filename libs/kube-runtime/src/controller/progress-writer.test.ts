import { FakeClock, letWorkRun } from '@lateen/testing';
import { describe, expect, it } from 'vitest';
import { ProgressWriter } from './progress-writer.ts';

function made(write?: (progress: { doneBytes: number }) => Promise<void>) {
  const clock = new FakeClock();
  const written: (number | undefined)[] = [];
  const writer = new ProgressWriter<{ doneBytes: number }>({
    intervalMs: 1_000,
    clock,
    write: async (progress) => {
      written.push(progress.doneBytes);
      await write?.(progress);
    },
  });
  return { clock, written, writer };
}

describe('progressWriter', () => {
  it('writes the first progress at once and then the latest once per second', async () => {
    const { clock, written, writer } = made();
    for (let tenth = 0; tenth <= 20; tenth++) {
      writer.report({ doneBytes: tenth });
      await clock.advance(100);
    }
    expect(written).toEqual([0, 9, 19]);
    await clock.advance(1_000);
    expect(written.at(-1)).toBe(20);
  });
  it('writes nothing without changes', async () => {
    const { clock, written, writer } = made();
    writer.report({ doneBytes: 1 });
    await clock.advance(60_000);
    expect(written).toEqual([1]);
    expect(clock.pending).toBe(0);
  });
  it('never runs two writes at the same time', async () => {
    const gate = Promise.withResolvers<void>();
    const { clock, written, writer } = made(() => gate.promise);
    writer.report({ doneBytes: 1 });
    writer.report({ doneBytes: 2 });
    await clock.advance(5_000);
    expect(written).toEqual([1]);
    gate.resolve();
    await clock.advance(1_000);
    expect(written).toEqual([1, 2]);
  });
  it('continues after a failed write', async () => {
    const { clock, written, writer } = made(async () => Promise.reject(new Error('away')));
    writer.report({ doneBytes: 1 });
    await clock.advance(1_000);
    writer.report({ doneBytes: 2 });
    await clock.advance(1_000);
    expect(written).toEqual([1, 2]);
  });
  it('on stop, waits for the running write and drops later progress', async () => {
    const gate = Promise.withResolvers<void>();
    const { clock, written, writer } = made(() => gate.promise);
    writer.report({ doneBytes: 1 });
    writer.report({ doneBytes: 2 });
    let stopped = false;
    const stopping = writer.stop().then(() => (stopped = true));
    await letWorkRun();
    expect(stopped).toBe(false);
    gate.resolve();
    await stopping;
    writer.report({ doneBytes: 3 });
    await clock.advance(5_000);
    expect(written).toEqual([1]);
  });
});
