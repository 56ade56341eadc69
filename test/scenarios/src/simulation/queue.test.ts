import { describe, expect, it } from 'vitest';
import { queuePlan } from './queue-plan.ts';
import { simulate } from './simulation.ts';

/** The limit of exposures (movementLimits.exposuresMax); both queues are longer. */
const [short, long] = [50, 200];

async function callsPerUpload(uploads: number): Promise<number> {
  const { calls, violations, ends } = await simulate(queuePlan(uploads));
  expect(violations).toEqual([]);
  expect(ends).toEqual(Array(uploads).fill('DataUpload Completed'));
  return Object.values(calls).reduce((sum, count) => sum + count, 0) / uploads;
}

describe('a queue of DataUploads', () => {
  it('costs the same number of API calls per DataUpload however long it is', async () => {
    const [few, many] = [await callsPerUpload(short), await callsPerUpload(long)];
    // An upload that waits longer than half a minute reads itself and writes a message, once.
    expect(many).toBeLessThan(few * 1.02 + 2);
    expect(many).toBeLessThan(60);
  });
});
