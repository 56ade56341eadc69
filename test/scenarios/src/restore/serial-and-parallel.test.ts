import { describe, expect, it } from 'vitest';
import { type CaseRun, generatedCase, runCase } from './generated-case.ts';
import { backedUp } from './restore-world.ts';
import { differences } from './restored-state.ts';

/* The result of a restore does not depend on how many objects are restored in parallel: objects, outcomes and log lines are the same. */

const seeds = 240;
const perTest = 20;

const prefixed = (outcomes: Record<string, string>) =>
  Object.fromEntries(Object.entries(outcomes).map(([place, outcome]) => [`outcome of ${place}`, outcome]));

const left = ({ state, outcomes, warnings, errors }: CaseRun) => ({
  ...state,
  ...prefixed(outcomes),
  warnings,
  errors,
});

describe('a restore of generated clusters', () => {
  const firsts = Array.from({ length: seeds / perTest }, (_, at) => 1 + at * perTest);
  it.each(firsts)('has the same result in parallel as one by one, seeds from %i', async (first) => {
    for (let seed = first; seed < first + perTest; seed += 1) {
      const one = generatedCase(seed);
      const stored = await backedUp(one.source);
      const serial = await runCase(one, stored, { parallel: 1 });
      const parallel = await runCase(one, stored, { parallel: 2 + (seed % 30), slowMs: seed % 3 === 0 ? 0 : 40 });
      expect(differences(left(serial), left(parallel)), `seed ${seed}`).toEqual({});
    }
  });
});
