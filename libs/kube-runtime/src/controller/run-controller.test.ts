import { AppError, type RetryFate } from '@lateen/errors';
import { keyText, type ObjectKey } from '@lateen/kube';
import { FakeClock, letWorkRun, recordingLog, seededRandom } from '@lateen/testing';
import { describe, expect, it } from 'vitest';
import { again, type Outcome, settled, waiting } from './outcome.ts';
import { runController } from './run-controller.ts';
import { type WorkQueueLimits, workQueue } from './work-queue.ts';

function start(
  reconcile: (key: ObjectKey, signal: AbortSignal) => Promise<Outcome>,
  workers = 1,
  limits: Partial<WorkQueueLimits> = {},
) {
  const clock = new FakeClock();
  const log = recordingLog();
  const queue = workQueue({ name: 'test', clock, random: seededRandom(), limits });
  const stop = new AbortController();
  const reconciled: string[] = [];
  const running = runController({
    name: 'test',
    queue,
    workers,
    clock,
    log,
    signal: stop.signal,
    reconciler: {
      reconcile: async (key, signal) => {
        reconciled.push(keyText(key));
        return reconcile(key, signal);
      },
    },
  });
  return { clock, log, queue, stop, reconciled, running };
}

describe('runController', () => {
  it('processes each key once and rests when all are done', async () => {
    const { clock, queue, reconciled } = start(async () => settled);
    queue.add('velero/a');
    queue.add('cluster-scoped');
    await clock.advance(3_600_000);
    expect(reconciled).toEqual(['velero/a', 'cluster-scoped']);
    expect([queue.idle, clock.pending]).toEqual([true, 0]);
  });

  it('processes a key again when the outcome says when, but not when the outcome only waits for a change', async () => {
    const { clock, queue, reconciled } = start(async (key) =>
      key.name === 'a' ? again(1_000, 'no slot is free') : waiting('pod velero/b'),
    );
    queue.add('a');
    queue.add('b');
    await clock.advance(2_500);
    expect(reconciled).toEqual(['a', 'b', 'a', 'a']);
  });

  it.each<[RetryFate | undefined, number, number]>([
    ['soon', 1, 5],
    ['later', 4_000, 6_000],
    ['never', 400_000, 800_000],
    [undefined, 4_000, 6_000],
  ])('retries a failed key as its error says: %s', async (fate, afterMs, beforeMs) => {
    const error = fate === undefined ? new TypeError('defect') : new AppError('X', 'failed', { retry: fate });
    let failed = false;
    const { clock, queue, reconciled } = start(async () => {
      if (failed) return settled;
      failed = true;
      throw error;
    });
    queue.add('a');
    await clock.advance(afterMs);
    expect(reconciled).toHaveLength(1);
    await clock.advance(beforeMs);
    expect(reconciled).toHaveLength(fate === 'soon' ? 1 : 2);
    await clock.advance(500);
    expect(reconciled).toHaveLength(2);
  });

  it('logs once that a retry cannot help, and again when the reason changes', async () => {
    let message = 'location "a" does not exist';
    const { clock, queue, log } = start(async () => {
      throw new AppError('X', message, { retry: 'never' });
    });
    for (let change = 0; change < 3; change++) {
      queue.add('a');
      await clock.advance(1_000);
    }
    expect(log.messages('error')).toHaveLength(1);
    message = 'location "b" does not exist';
    queue.add('a');
    await clock.advance(1_000);
    expect(log.messages('error')).toHaveLength(2);
    expect(log.lines.at(-1)?.fields).toMatchObject({ controller: 'test', key: 'a', reason: message });
  });

  it('starts with short delays again after a success', async () => {
    const failing = [true, true, true, true, false, true, false];
    const times: number[] = [];
    const { clock, queue } = start(async () => {
      times.push(clock.monotonicMs());
      if (failing.shift() === true) throw new AppError('X', 'failed', { retry: 'soon' });
      return settled;
    });
    queue.add('a');
    await clock.advance(60_000);
    expect(times).toHaveLength(5);
    expect((times[4] ?? 0) - (times[3] ?? 0)).toBeGreaterThan(1_000);
    queue.add('a');
    await clock.advance(60_000);
    expect((times[6] ?? 0) - (times[5] ?? 0)).toBeLessThan(300);
  });

  it('waits at least as long as the server asks for', async () => {
    const throttled = new AppError('KUBE_TOO_MANY_REQUESTS', 'slow down', {
      retry: 'soon',
      details: { retryAfterMs: 30_000 },
    });
    let failed = false;
    const { clock, queue, reconciled } = start(async () => {
      if (failed) return settled;
      failed = true;
      throw throttled;
    });
    queue.add('a');
    await clock.advance(29_000);
    expect(reconciled).toHaveLength(1);
    await clock.advance(1_001);
    expect(reconciled).toHaveLength(2);
  });

  it('processes different keys in parallel, but never one key twice at the same time', async () => {
    let busy = 0;
    let busiest = 0;
    const onOne = new Set<string>();
    const { clock, queue } = start(async ({ name }) => {
      expect(onOne.has(name)).toBe(false);
      onOne.add(name);
      busiest = Math.max(busiest, ++busy);
      await clock.sleep(100);
      busy -= 1;
      onOne.delete(name);
      return settled;
    }, 3);
    for (const key of ['a', 'b', 'c', 'd']) queue.add(key);
    await clock.advance(50);
    queue.add('a');
    await clock.advance(1_000);
    expect([busiest, busy, queue.idle]).toEqual([3, 0, true]);
  });

  it('continues when its queue is full, because running keys keep their place', async () => {
    const { clock, queue, reconciled } = start(async () => again(1_000, 'once more'), 1, { keysMax: 2 });
    queue.add('a');
    queue.add('b');
    expect(() => queue.add('c')).toThrow('holds 2 keys');
    await clock.advance(0);
    queue.add('a');
    expect(() => queue.add('c')).toThrow('holds 2 keys');
    await clock.advance(3_500);
    expect(reconciled.filter((key) => key === 'a').length).toBeGreaterThan(3);
    expect(reconciled.filter((key) => key === 'b').length).toBeGreaterThan(2);
  });

  it('ends on abort after the running reconciliation, and does not count it as failed', async () => {
    const { clock, queue, stop, running, log } = start(async (_key, signal) => {
      await clock.sleep(60_000, signal);
      return settled;
    });
    queue.add('a');
    queue.addAfter('b', 1_000);
    await letWorkRun();
    stop.abort(new Error('shutdown'));
    await running;
    expect([clock.pending, log.messages('warn'), log.messages('error')]).toEqual([0, [], []]);
  });
});
