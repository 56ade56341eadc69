import fc from 'fast-check';
import { expect, it } from 'vitest';

it.skipIf(process.env.LATEEN_SEED !== undefined)('draws the same cases for property tests in each run', () => {
  const drawn: number[] = [];
  const property = fc.property(fc.nat(999_999), (each) => void drawn.push(each));
  fc.assert(property, { numRuns: 4 });
  const before = [...drawn];
  drawn.length = 0;
  fc.assert(property, { numRuns: 4 });
  expect(drawn).toEqual(before);
  expect(fc.readConfigureGlobal().seed).toBe(20261123);
});
