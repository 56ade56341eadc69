import { seededRandom } from '@lateen/testing';
import { describe, expect, it } from 'vitest';
import { type Lent, SharedMemory } from './shared-memory.ts';

const never = new AbortController().signal;

describe('SharedMemory', () => {
  it('lends separate parts of one memory, first come first served', async () => {
    const memory = new SharedMemory(100);
    const [a, b] = [await memory.take(60, never), await memory.take(30, never)];
    expect(a.bytes.buffer).toBe(b.bytes.buffer);
    const order: string[] = [];
    const large = memory.take(50, never).then(() => order.push('large'));
    const small = memory.take(5, never).then(() => order.push('small'));
    b.free();
    b.free();
    await Promise.resolve();
    expect([order, memory.waiting]).toEqual([[], 2]);
    a.free();
    await Promise.all([large, small]);
    expect([order, memory.lentBytes]).toEqual([['large', 'small'], 55]);
  });

  it('lends more than all of it when no other loan exists', async () => {
    const memory = new SharedMemory(10);
    const a = await memory.take(1, never);
    const large = memory.take(25, never);
    const after = memory.take(1, never);
    expect(memory.lentBytes).toBe(1);
    a.free();
    expect([(await large).bytes.length, memory.lentBytes]).toEqual([25, 25]);
    (await large).free();
    expect([(await after).bytes.length, memory.lentBytes]).toEqual([1, 1]);
  });

  it('serves the next waiter when one aborts', async () => {
    const memory = new SharedMemory(10);
    await memory.take(5, never);
    const stop = new AbortController();
    const large = memory.take(10, stop.signal);
    const small = memory.take(5, never);
    stop.abort(new Error('enough'));
    await expect(large).rejects.toThrow('enough');
    expect((await small).bytes.length).toBe(5);
    await expect(memory.take(1, stop.signal)).rejects.toThrow('enough');
  });

  it('never lends a byte twice, never exceeds its limit, and has all memory back at the end', async () => {
    for (let seed = 1; seed <= 50; seed++) {
      const random = seededRandom(seed);
      const memory = new SharedMemory(1_000);
      const held = new Set<Lent>();
      const waiting: Promise<void>[] = [];
      for (let step = 0; step < 100; step++) {
        const length = 1 + Math.floor(random.next() * 400);
        waiting.push(memory.take(length, never).then((lent) => void held.add(lent)));
        await Promise.resolve();
        while (random.next() < 0.5) for (const lent of [...held].slice(0, 1)) held.delete(lent) && lent.free();
        const spans = [...held].map(({ bytes }) => [bytes.byteOffset, bytes.byteOffset + bytes.length] as const);
        spans.sort(([a], [b]) => a - b);
        for (const [at, [start]] of spans.entries()) expect(start).toBeGreaterThanOrEqual(spans[at - 1]?.[1] ?? 0);
        expect(memory.lentBytes).toBeLessThanOrEqual(1_000);
      }
      while (memory.waiting > 0 || held.size > 0) {
        for (const lent of held) held.delete(lent) && lent.free();
        await Promise.resolve();
      }
      await Promise.all(waiting);
      for (const lent of held) lent.free();
      expect((await memory.take(1_000, never)).bytes.length).toBe(1_000);
    }
  });
});
