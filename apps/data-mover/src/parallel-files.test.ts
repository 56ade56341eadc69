import { slotsByDefault } from '@lateen/api-types';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { parallelFilesByDefault } from './parallel-files.ts';

describe('the default number of parallel files', () => {
  it.each([
    // CPUs of the node, of the pod, configured slots, files
    [1, 1, undefined, 2],
    [2, 2, undefined, 2],
    [4, 4, undefined, 2],
    [8, 8, undefined, 4],
    [64, 64, undefined, 32],
    [256, 256, undefined, 128],
    [6, 6, undefined, 3],
    // The pod's limit is below its share of the node …
    [8, 0.5, undefined, 1],
    [64, 1.5, undefined, 3],
    [64, 2, undefined, 4],
    [256, 0.001, undefined, 1],
    // … or above it.
    [64, 32, undefined, 32],
    [8, 2, undefined, 4],
    // The installation sets the number.
    [2, 2, 1, 4],
    [8, 8, 1, 16],
    [64, 64, 16, 8],
    [64, 64, 64, 2],
    [4, 4, 100, 1],
    [256, 256, 1, 128],
  ])('node of %d CPUs, pod of %d, slots %s: %d', (nodeCpus, podCpus, slots, files) => {
    expect(parallelFilesByDefault({ nodeCpus, podCpus, slots })).toBe(files);
  });

  it('is about twice the CPUs of the node for all data paths together', () => {
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 256 }), (nodeCpus) => {
        const slots = slotsByDefault(nodeCpus);
        const together = slots * parallelFilesByDefault({ nodeCpus, podCpus: nodeCpus, slots: undefined });
        expect(together).toBeGreaterThanOrEqual(2 * nodeCpus);
        expect(together).toBeLessThan(2 * nodeCpus + slots);
      }),
    );
  });
});
