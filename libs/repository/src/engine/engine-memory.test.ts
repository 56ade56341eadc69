import { describe, expect, it } from 'vitest';
import { engineMemory, engineShareBytes } from './engine-memory.ts';

const MiB = 1024 * 1024;

describe("the engine's memory", () => {
  it.each([
    [2048 * MiB, 1906, undefined],
    [512 * MiB, 370, undefined],
    [256 * MiB, 114, 50],
    [100 * MiB, 25, 50],
  ])('of %d bytes allows %d MiB of heap', (limit, heapMiB, gcPercent) => {
    const { memoryLimitBytes = 0, gcPercent: percent } = engineMemory(limit);
    expect(Math.floor(memoryLimitBytes / MiB)).toBe(heapMiB);
    expect(memoryLimitBytes).toBeLessThan(engineShareBytes(limit));
    expect(engineShareBytes(limit)).toBeLessThan(limit);
    expect(percent).toBe(gcPercent);
  });

  it('has no limit when the pod has none', () => expect(engineMemory(undefined)).toEqual({}));
});
