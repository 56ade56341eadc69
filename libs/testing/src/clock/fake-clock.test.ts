import { describe, expect, it } from 'vitest';
import { FakeClock } from './fake-clock.ts';
import { seededRandom } from './seeded-random.ts';

describe('FakeClock', () => {
  it('fires timers in order, at their due time, and lets work in between set more timers', async () => {
    const clock = new FakeClock(1_000);
    const seen: string[] = [];
    const nap = async (name: string, ms: number) => {
      await clock.sleep(ms);
      seen.push(`${name}@${clock.now()}`);
    };
    const all = [nap('b', 20), nap('a', 10).then(() => nap('c', 15)), nap('d', 100)];
    await clock.advance(50);
    expect(seen).toEqual(['a@1010', 'b@1020', 'c@1025']);
    expect([clock.now(), clock.monotonicMs(), clock.pending, clock.nextDueInMs]).toEqual([1_050, 50, 1, 50]);
    await clock.advance(50);
    await Promise.all(all);
  });

  it('removes the timer of an aborted sleep, and rejects with the reason', async () => {
    const clock = new FakeClock();
    const stop = new AbortController();
    const sleeping = clock.sleep(1_000, stop.signal);
    stop.abort(new Error('enough'));
    await expect(sleeping).rejects.toThrow('enough');
    expect(clock.pending).toBe(0);
    await expect(clock.sleep(1, stop.signal)).rejects.toThrow('enough');
  });

  it('creates deadlines that fire when a test advances the clock', async () => {
    const clock = new FakeClock();
    const deadline = clock.deadline(5_000);
    await clock.advance(4_999);
    expect(deadline.aborted).toBe(false);
    await clock.advance(1);
    expect(deadline.reason).toMatchObject({ name: 'TimeoutError' });
  });

  it('advances until a condition holds, and fails when it never does', async () => {
    const clock = new FakeClock();
    let rings = 0;
    const ringing = (async () => {
      for (; rings < 3; rings++) await clock.sleep(10_000);
    })();
    await clock.advanceUntil(() => rings === 3, { withinMs: 60_000 });
    await ringing;
    expect(clock.monotonicMs()).toBe(30_000);
    await expect(clock.advanceUntil(() => rings === 4, { withinMs: 1_000 })).rejects.toThrow(
      'did not hold within 1000',
    );
  });
});

describe('seededRandom', () => {
  it('repeats its sequence for the same seed, differs for another, and stays in its ranges', () => {
    const draw = (seed: number) => {
      const random = seededRandom(seed);
      return [random.next(), random.uuid(), random.suffix(5)];
    };
    expect(draw(7)).toEqual(draw(7));
    expect(draw(7)).not.toEqual(draw(8));
    const [number, uuid, suffix] = draw(9);
    expect(number).toBeGreaterThanOrEqual(0);
    expect(number).toBeLessThan(1);
    expect(uuid).toMatch(/^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/);
    expect(suffix).toMatch(/^[bcdfghjklmnpqrstvwxz2456789]{5}$/);
  });
});
