import { describe, expect, it } from 'vitest';
import { volumeFailureText } from '../replica-set/volume-failure-text.ts';
import { simulateUploads } from './simulate-uploads.ts';

/** Takes a few seconds; `npm run simulate -- --changed-blocks --seeds 1000` runs more. */
const seeds = 60;

describe('uploads that read only changed blocks', () => {
  it('store what the volume held, whatever drivers, servers and other systems do', async () => {
    const ends = new Set<string>();
    for (let seed = 1; seed <= seeds; seed++) {
      const result = await simulateUploads(seed);
      if (result.violations.length > 0) expect.fail(volumeFailureText(result, '--changed-blocks'));
      for (const end of result.ends) ends.add(end);
    }
    // Every one of these ends has to occur, or it is not tested.
    for (const end of [
      'spliced',
      'failed',
      'unused blocks are left out',
      'first backup of the volume',
      'base snapshot gone',
      'base snapshot differs from the volume',
      'the claim has another volume',
      'volume grew',
      'volume shrank',
      'changed blocks are out of order',
      'changed blocks overlap',
      'changed blocks lie beyond the end of the volume',
      'the list of changed blocks is of a volume of another size',
    ])
      expect(ends).toContain(end);
  });

  it('repeat themselves for the same seed', async () => {
    expect((await simulateUploads(7)).hash).toBe((await simulateUploads(7)).hash);
  });
});
