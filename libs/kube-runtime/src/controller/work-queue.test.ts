import { FakeClock, seededRandom } from '@lateen/testing';
import { describe, expect, it } from 'vitest';
import { type WorkQueueOptions, workQueue } from './work-queue.ts';

const alive = new AbortController().signal;

function make(options: Partial<WorkQueueOptions> = {}) {
  const clock = new FakeClock();
  return { clock, queue: workQueue({ name: 'test', clock, random: seededRandom(), ...options }) };
}

describe('workQueue', () => {
  it('returns a key once, however often it was added, in the order of the first add', async () => {
    const { queue } = make();
    for (const key of ['a', 'b', 'a', 'a']) queue.add(key);
    expect([await queue.next(alive), await queue.next(alive), queue.length]).toEqual(['a', 'b', 0]);
  });

  it('never returns a key that is being processed, but returns it again afterwards', async () => {
    const { queue } = make();
    queue.add('a');
    await queue.next(alive);
    queue.add('a');
    queue.add('a');
    expect(queue.length).toBe(0);
    queue.done('a');
    expect(queue.length).toBe(1);
    await queue.next(alive);
    queue.done('a');
    expect(queue.idle).toBe(true);
  });

  it('wakes one waiting worker per key', async () => {
    const { queue } = make();
    const both = Promise.all([queue.next(alive), queue.next(alive)]);
    queue.add('a');
    queue.add('b');
    expect((await both).sort()).toEqual(['a', 'b']);
  });

  it('delays a key, keeps the earlier of two times, and an immediate add overrides both', async () => {
    const { clock, queue } = make();
    queue.addAfter('a', 10_000);
    queue.addAfter('a', 2_000);
    queue.addAfter('a', 60_000);
    queue.addAfter('b', 5_000);
    await clock.advance(2_000);
    expect([queue.length, queue.delayed]).toEqual([1, 1]);
    queue.add('b');
    expect([queue.length, queue.delayed, clock.pending]).toEqual([2, 0, 0]);
  });

  it('increases the delay with each failure of a key, and resets it on forget', () => {
    const { queue } = make({ backoff: { firstMs: 100, maxMs: 1_000, factor: 2, jitter: 0 } });
    const waits = () => queue.retry('a');
    expect([waits(), waits(), waits(), waits(), waits()]).toEqual([100, 200, 400, 800, 1_000]);
    queue.forget('a');
    expect([waits(), queue.failures('a')]).toEqual([100, 1]);
  });

  it('limits the rate of retries over all keys', () => {
    const { queue } = make({
      backoff: { firstMs: 1, maxMs: 1, factor: 1, jitter: 0 },
      limits: { retriesBurst: 2, retriesPerSecond: 10 },
    });
    expect(['a', 'b', 'c', 'd'].map((key) => queue.retry(key))).toEqual([1, 1, 100, 200]);
  });

  it('rejects more keys than its limit, with a reason', () => {
    const { queue } = make({ limits: { keysMax: 2 } });
    queue.add('a');
    queue.addAfter('b', 1_000);
    expect(() => queue.add('c')).toThrow('the work queue test holds 2 keys');
    queue.add('b');
    expect(queue.length).toBe(2);
  });

  it('rejects an aborted waiting worker, and does not lose the next key', async () => {
    const { queue } = make();
    const stop = new AbortController();
    const waiting = queue.next(stop.signal);
    stop.abort(new Error('shutdown'));
    await expect(waiting).rejects.toThrow('shutdown');
    queue.add('a');
    await expect(queue.next(alive)).resolves.toBe('a');
  });

  it('wakes a waiting worker, not one that has left', async () => {
    const { queue } = make();
    const stop = new AbortController();
    const left = queue.next(stop.signal).catch(() => 'left');
    const waits = queue.next(alive);
    stop.abort();
    await left;
    queue.add('a');
    await expect(waits).resolves.toBe('a');
  });

  it('leaves no timer after close', () => {
    const { clock, queue } = make();
    queue.addAfter('a', 1_000);
    queue.add('b');
    queue.close();
    queue.add('c');
    expect([clock.pending, queue.length, queue.delayed]).toEqual([0, 0, 0]);
  });

  it('reports queue length and waiting time to its metrics', async () => {
    const told: string[] = [];
    const { clock, queue } = make({
      metrics: {
        length: (name, length) => told.push(`${name} length ${length}`),
        waited: (_name, ms) => told.push(`waited ${ms}`),
      },
    });
    queue.add('a');
    await clock.advance(250);
    await queue.next(alive);
    expect(told).toEqual(['test length 1', 'waited 250', 'test length 0']);
  });
});
