import { describe, expect, it } from 'vitest';
import { simulateVolume } from './simulate-volume.ts';
import { volumeFailureText } from './volume-failure-text.ts';

/** Takes about a second; `npm run simulate -- --storage` runs more. */
const seeds = 250;

describe('engines over replicas that fail', () => {
  it('keep their guarantees, whatever happens', async () => {
    for (let seed = 1; seed <= seeds; seed++) {
      const result = await simulateVolume(seed);
      if (result.violations.length > 0) expect.fail(volumeFailureText(result));
    }
  });

  it('repeat themselves for the same seed', async () => {
    expect((await simulateVolume(7)).hash).toBe((await simulateVolume(7)).hash);
  });
});
