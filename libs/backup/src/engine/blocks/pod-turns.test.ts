import { letWorkRun } from '@lateen/testing';
import { describe, expect, it } from 'vitest';
import { PodTurns } from './pod-turns.ts';

const never = new AbortController().signal;

describe('turns of pods', () => {
  it('go to one after the other, in the order in which they came', async () => {
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

  it('never make two wait for each other', async () => {
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

  it('are given up by who is told to stop, and passed on', async () => {
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
