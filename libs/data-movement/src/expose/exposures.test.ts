import { AppError } from '@lateen/errors';
import { kubeError } from '@lateen/kube';
import { FakeClock, letWorkRun, recordingLog, seededRandom } from '@lateen/testing';
import { describe, expect, it } from 'vitest';
import type { Rank } from '../slots.ts';
import { Exposures } from './exposures.ts';

function made(max = 2) {
  const clock = new FakeClock();
  const log = recordingLog();
  const exposures = new Exposures({ clock, random: seededRandom(), log, max });
  const failures: unknown[] = [];
  const onFailed = async (error: unknown) => {
    failures.push(error);
  };
  return { clock, log, exposures, failures, onFailed };
}
const hangs = (signal: AbortSignal) =>
  new Promise<void>((_, reject) => signal.addEventListener('abort', () => reject(signal.reason)));

describe('exposures beside the reconcilers', () => {
  it('run once per key and remember that they are done', async () => {
    const { exposures, onFailed } = made();
    let runs = 0;
    const expose = async () => {
      runs += 1;
    };
    expect(exposures.stateOf('a')).toBe('none');
    exposures.start('a', expose, onFailed);
    exposures.start('a', expose, onFailed);
    await letWorkRun();
    expect(exposures.stateOf('a')).toBe('done');
    exposures.start('a', expose, onFailed);
    expect(runs).toBe(1);
  });
  it('do not affect the next attempt when they fail', async () => {
    const { clock, exposures, onFailed } = made();
    const besides: AbortSignal[] = [];
    const expose = async (signal: AbortSignal) => {
      besides.push(signal);
      if (besides.length === 1) throw kubeError('KUBE_UNAVAILABLE', 'away');
    };
    exposures.start('a', expose, onFailed);
    await clock.advance(5_000);
    expect(besides.map((signal) => signal.aborted)).toEqual([true, false]);
  });
  it('queue when there are too many, restores first, and are woken one by one', async () => {
    const { exposures, onFailed } = made(1);
    const woken: string[] = [];
    const enter = (key: string, rank: Rank) => exposures.enter(key, { rank, size: 0 }, () => woken.push(key));
    expect(enter('a', 'backup')).toBe(true);
    exposures.start('a', hangs, onFailed);
    expect([enter('b', 'backup'), enter('c', 'backup'), enter('r', 'restore'), enter('a', 'backup')]).toEqual([
      false,
      false,
      false,
      true,
    ]);
    await exposures.stop('a');
    expect(woken).toEqual(['r']);
    // The place is kept for it: later requests wait, and an unused place goes to the next one.
    expect(enter('d', 'restore')).toBe(false);
    exposures.leave('d');
    exposures.leave('r');
    expect(woken).toEqual(['r', 'b']);
    exposures.start('b', async () => {}, onFailed);
    exposures.leave('b');
    await letWorkRun();
    expect(woken).toEqual(['r', 'b', 'c']);
    await exposures.stopAll();
  });
  it('wait for an unavailable API server, with growing delays', async () => {
    const { clock, exposures, failures, onFailed } = made();
    const at: number[] = [];
    exposures.start(
      'a',
      async () => {
        at.push(clock.monotonicMs());
        if (at.length < 4) throw kubeError('KUBE_UNAVAILABLE', 'away');
      },
      onFailed,
    );
    await clock.advance(10_000);
    expect(exposures.stateOf('a')).toBe('done');
    expect(at).toHaveLength(4);
    const gaps = at.slice(1).map((each, index) => each - (at[index] ?? 0));
    expect(gaps.toSorted((a, b) => a - b)).toEqual(gaps);
    expect(failures).toEqual([]);
  });
  it.each([
    ['what is missing', new AppError('EXPOSE_NO_SNAPSHOT', 'no snapshot')],
    ['an internal defect', new TypeError('x is not a function')],
    ['a missing permission: half an hour of waiting would hide it', kubeError('KUBE_FORBIDDEN', 'may not')],
  ])('fail at once on %s', async (_, error) => {
    const { exposures, failures, onFailed } = made();
    exposures.start('a', async () => Promise.reject(error), onFailed);
    await letWorkRun();
    expect(failures).toEqual([error]);
    expect(exposures.stateOf('a')).toBe('done');
  });
  it('retry to report a failure that could not be reported', async () => {
    const { clock, exposures, log } = made();
    let told = 0;
    exposures.start(
      'a',
      async () => Promise.reject(new AppError('X', 'x')),
      async () => {
        told += 1;
        if (told < 3) throw kubeError('KUBE_UNAVAILABLE', 'away');
      },
    );
    await clock.advance(5_000);
    expect(told).toBe(3);
    expect(log.messages('warn')).toHaveLength(2);
  });
  it('end completely when stopped, report nothing, and can be started again', async () => {
    const { clock, exposures, failures, onFailed } = made();
    let running = false;
    const expose = async (signal: AbortSignal) => {
      running = true;
      await hangs(signal).finally(() => (running = false));
    };
    exposures.start('a', expose, onFailed);
    await letWorkRun();
    expect(running).toBe(true);
    await exposures.stop('a');
    expect(running).toBe(false);
    expect(failures).toEqual([]);
    expect(exposures.stateOf('a')).toBe('none');
    expect(clock.pending).toBe(0);
    await exposures.stop('unknown');
  });
});
