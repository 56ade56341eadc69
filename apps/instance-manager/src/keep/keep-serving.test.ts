import type { ChildExit, ChildRun } from '@lateen/child-process';
import { AppError } from '@lateen/errors';
import { silentLogger, systemRandom } from '@lateen/kernel';
import { FakeClock } from '@lateen/testing';
import { describe, expect, it } from 'vitest';
import { keepServing } from './keep-serving.ts';

const exit: ChildExit = { exitCode: 1, endedBy: undefined, stdout: '', stderr: '', aborted: false };
const program = { args: ['serve'], env: {}, onStdout: () => {}, onStderr: () => {} };

/** Runs that end when the test says so, or with the signal. */
function rig() {
  const clock = new FakeClock('2030-01-01T00:00:00Z');
  const runs: { run: ChildRun; end: PromiseWithResolvers<ChildExit> }[] = [];
  const runner = {
    run: (run: ChildRun) => {
      const end = Promise.withResolvers<ChildExit>();
      run.signal?.addEventListener('abort', () => end.resolve({ ...exit, aborted: true }));
      runs.push({ run, end });
      return end.promise;
    },
  };
  const stop = new AbortController();
  const done = keepServing({ runner, clock, random: systemRandom, log: silentLogger }, program, stop.signal);
  const runsBecome = async (count: number) => {
    for (let turn = 0; turn < 200 && runs.length < count; turn++) await clock.advance(100);
    expect(runs).toHaveLength(count);
  };
  return { clock, runs, stop, done, runsBecome };
}

describe('the kept process', () => {
  it('is restarted with backoff, which is reset after it has run for a while', async () => {
    const { clock, runs, stop, done, runsBecome } = rig();
    const waits: number[] = [];
    for (let count = 1; count <= 7; count++) {
      await runsBecome(count);
      if (count === 7) await clock.advance(60_000);
      const beganMs = clock.monotonicMs();
      runs.at(-1)?.end.resolve(exit);
      await runsBecome(count + 1);
      waits.push(clock.monotonicMs() - beganMs);
    }
    expect(waits[0]).toBeLessThan(1_000);
    expect(waits[5]).toBeGreaterThan(7_000);
    expect(waits[6]).toBeLessThan(1_000);
    stop.abort();
    await done;
  });

  it('that cannot be started is retried', async () => {
    const { runs, stop, done, runsBecome } = rig();
    await runsBecome(1);
    runs[0]?.end.reject(new AppError('PROGRAM_NOT_STARTED', 'no such file'));
    await runsBecome(2);
    stop.abort();
    await done;
  });

  it('is ended by the signal, waited for, and not restarted', async () => {
    const { runs, stop, done, runsBecome } = rig();
    await runsBecome(1);
    expect(runs[0]?.run.signal?.aborted).toBe(false);
    stop.abort();
    await done;
    expect(runs).toHaveLength(1);
  });
});
