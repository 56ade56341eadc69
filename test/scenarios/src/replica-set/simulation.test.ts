import { describe, expect, it } from 'vitest';
import { simulateVolume } from './simulate-volume.ts';

describe('an engine over replicas that fail', () => {
  it('keeps its promises, whatever happens', async () => {
    for (let seed = 1; seed <= 200; seed++) {
      const { violations, trace } = await simulateVolume(seed);
      if (violations.length > 0) expect.fail([`seed ${seed}`, ...violations, ...trace.slice(-80)].join('\n'));
    }
  });

  it('happens the same way each time', async () => {
    expect((await simulateVolume(7)).hash).toBe((await simulateVolume(7)).hash);
  });
});
