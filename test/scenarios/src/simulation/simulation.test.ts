import { describe, expect, it } from 'vitest';
import { planOf } from './plan.ts';
import { failureText, runSeeds } from './run-seeds.ts';
import { simulate } from './simulation.ts';

/** Few enough that the scenario tier stays well under three minutes; `npm run simulate` runs 10,000 and more. */
const seeds = 1_000;
const parts = 10;

describe('a simulation', () => {
  it('has the same trace for the same seed, and another for another seed', async () => {
    for (const seed of [3, 98, 312]) {
      const [first, second] = [await simulate(planOf(seed)), await simulate(planOf(seed))];
      expect(second.trace).toEqual(first.trace);
      expect(second.hash).toBe(first.hash);
      expect((await simulate(planOf(seed + 1))).hash).not.toBe(first.hash);
    }
  });
  it('has seeds with and without faults', () => {
    const plans = Array.from({ length: 300 }, (_, seed) => planOf(seed));
    const chaos = new Set(plans.flatMap((plan) => plan.chaos.map(({ what }) => what)));
    const fates = new Set(plans.flatMap((plan) => plan.movements.flatMap((movement) => movement.fates)));
    expect(chaos.size).toBe(12);
    expect(fates.size).toBe(10);
    expect(plans.some((plan) => plan.calls.slow + plan.calls.refused + plan.calls.answerLost === 0)).toBe(true);
  });
});

describe('the invariants', () => {
  it.each(Array.from({ length: parts }, (_, part) => part))('hold in part %i of the seeds', async (part) => {
    const size = seeds / parts;
    const { failures, seeds: run } = await runSeeds({ from: 1 + part * size, seeds: size });
    expect(failures.map(failureText).join('\n\n')).toBe('');
    expect(run).toBe(size);
  });
});
