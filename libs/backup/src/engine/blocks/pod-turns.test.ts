import { letWorkRun } from '@lateen/testing';
import { describe, expect, it } from 'vitest';
import { PodTurns } from './pod-turns.ts';

const never = new AbortController().signal;

describe('PodTurns', () => {
  it('gives a pod to one caller after the other, in the order of their requests', async () => {
    const turns = new PodTurns();
    const order: string[] = [];
    const first = await turns.take(['a', 'b'], never);
    const others = ['second', 'third'].map(async (name) => {
      const release = await turns.take(['b'], never);
      order.push(name);
      release();
    });
    const elsewhere = await turns.take(['c'], never);
    await letWorkRun();
    expect(order).toEqual([]);
    first();
    await Promise.all(others);
    elsewhere();
    expect(order).toEqual(['second', 'third']);
    expect(turns.size).toBe(0);
  });

  it('never deadlocks two callers', async () => {
    const turns = new PodTurns();
    const both = [
      ['a', 'b'],
      ['b', 'a'],
      ['a', 'a'],
    ].map(async (uids) => {
      const release = await turns.take(uids, never);
      await letWorkRun();
      release();
    });
    await Promise.all(both);
    expect(turns.size).toBe(0);
  });

  it('removes an aborted caller, and continues with the next', async () => {
    const turns = new PodTurns();
    const stop = new AbortController();
    const first = await turns.take(['b'], never);
    const stopped = turns.take(['a', 'b'], stop.signal);
    const third = turns.take(['a', 'b'], never);
    stop.abort(new Error('enough'));
    await expect(stopped).rejects.toThrow('enough');
    first();
    (await third)();
    expect(turns.size).toBe(0);
  });
});
