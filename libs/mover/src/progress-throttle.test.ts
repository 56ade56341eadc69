import { FakeClock } from '@lateen/testing';
import { describe, expect, it } from 'vitest';
import { progressThrottle } from './progress-throttle.ts';

function throttled() {
  const clock = new FakeClock();
  const told: [number, number | undefined][] = [];
  const startMs = clock.now();
  const throttle = progressThrottle(clock, ({ doneBytes }) => told.push([clock.now() - startMs, doneBytes]));
  return { clock, told, throttle };
}

describe('the progress throttle', () => {
  it('reports at once, then at most once a second while bytes move', async () => {
    const { clock, told, throttle } = throttled();
    for (let n = 0; n < 100; n++) {
      throttle.update({ doneBytes: n });
      await clock.advance(70);
    }
    expect(told.map(([ms]) => ms)).toEqual([0, 1000, 2000, 3000, 4000, 5000, 6000, 7000]);
    expect(told.at(-1)).toEqual([7000, 99]);
  });
  it('reports a held update without waiting for another one', async () => {
    const { clock, told, throttle } = throttled();
    throttle.update({ doneBytes: 1 });
    await clock.advance(10);
    throttle.update({ doneBytes: 2 });
    await clock.advance(990);
    expect(told).toEqual([
      [0, 1],
      [1000, 2],
    ]);
  });
  it('reports nothing without change, and the next change at once', async () => {
    const { clock, told, throttle } = throttled();
    throttle.update({ doneBytes: 1 });
    await clock.advance(60_000);
    throttle.update({ doneBytes: 2 });
    expect(told).toEqual([
      [0, 1],
      [60_000, 2],
    ]);
  });
  it('reports completion at the end, and nothing after it', async () => {
    const { clock, told, throttle } = throttled();
    throttle.update({ doneBytes: 1 });
    throttle.update({ doneBytes: 2 });
    throttle.end();
    throttle.end();
    throttle.update({ doneBytes: 3 });
    await clock.advance(5_000);
    expect(told).toEqual([
      [0, 1],
      [0, 2],
    ]);
    expect(clock.pending).toBe(0);
  });
});
