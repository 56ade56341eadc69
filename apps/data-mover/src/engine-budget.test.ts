import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { budgetFigures, engineBudget, type OwnLimits } from './engine-budget.ts';

const MiB = 1024 * 1024;
const GiB = 1024 * MiB;
const budget = (limits: OwnLimits, cpus = 4) =>
  engineBudget(limits, { cpus, nodeCpus: cpus, slots: undefined, cacheLimitMB: 5000 });

describe('the budget of an engine', () => {
  it('without a limit is left to the engine, with a checkpoint each minute', () => {
    expect(budget({})).toEqual({
      cpus: 4,
      memoryBytes: undefined,
      memoryLimitBytes: undefined,
      gcPercent: undefined,
      processors: undefined,
      parallelFiles: 2,
      parallelFilesMax: undefined,
      cacheLimitMB: 5000,
      checkpointSeconds: 60,
    });
  });
  it.each([
    // pod's limit, GOMEMLIMIT, GOGC, files at once, checkpoint
    [128, 32, 50, 1, 5],
    [256, 114, 50, 2, 5],
    [512, 370, undefined, 9, 25],
    [1024, 882, undefined, 23, 60],
    [4096, 3954, undefined, 109, 60],
  ])('with %d MiB', (memory, heap, gcPercent, parallelFilesMax, checkpointSeconds) => {
    const given = budget({ memoryBytes: memory * MiB }, 64);
    expect(given).toMatchObject({ memoryLimitBytes: heap * MiB, gcPercent, parallelFilesMax, checkpointSeconds });
    expect(given.parallelFiles).toBe(Math.min(32, parallelFilesMax));
  });
  it.each([
    ['half a CPU', 500, 1, 1],
    ['one and a half', 1500, 2, 3],
    ['more than there are', 64_000, 16, 8],
    ['hardly any', 1, 1, 1],
  ])('with %s', (_, cpuMillis, processors, parallelFiles) => {
    expect(budget({ cpuMillis }, 16)).toMatchObject({ processors, parallelFiles });
  });
  it('gives a data path more parallel files when fewer data paths run beside it', () => {
    const input = { cpus: 8, nodeCpus: 8, cacheLimitMB: 5000 };
    expect(engineBudget({}, { ...input, slots: 1 }).parallelFiles).toBe(16);
    expect(engineBudget({}, { ...input, slots: 8 }).parallelFiles).toBe(2);
  });
  it.each([
    ['as configured where there is room', { cacheVolumeBytes: 10 * GiB }, 5000],
    ['the volume made for it', { cacheVolumeBytes: 6 * GiB, ephemeralBytes: 1, scratchFreeBytes: 1 }, 5000],
    ['a small volume', { cacheVolumeBytes: GiB }, 849],
    ['the ephemeral storage', { ephemeralBytes: GiB, scratchFreeBytes: 100 * GiB }, 716],
    ['a node whose disk is nearly full', { ephemeralBytes: 10 * GiB, scratchFreeBytes: 200 * MiB }, 100],
    ['hardly any room', { ephemeralBytes: 1 }, 10],
  ])('the cache fits: %s', (_, limits, cacheLimitMB) => {
    expect(budget(limits).cacheLimitMB).toBe(cacheLimitMB);
  });
  it('is between nothing and what there is, and grows with the limit', () => {
    const bytes = fc.integer({ min: 16 * MiB, max: 64 * GiB });
    fc.assert(
      fc.property(bytes, bytes, fc.integer({ min: 1, max: 256 }), (a, b, cpus) => {
        const [less, more] = [Math.min(a, b), Math.max(a, b)].map((memoryBytes) => budget({ memoryBytes }, cpus));
        if (less === undefined || more === undefined) throw new Error('two budgets');
        expect(less.memoryLimitBytes).toBeGreaterThan(0);
        expect(less.memoryLimitBytes).toBeLessThan(Math.min(a, b));
        expect(less.memoryLimitBytes).toBeLessThanOrEqual(more.memoryLimitBytes ?? 0);
        expect(less.parallelFiles).toBeGreaterThanOrEqual(1);
        expect(less.parallelFiles).toBeLessThanOrEqual(more.parallelFiles);
        expect(less.checkpointSeconds).toBeLessThanOrEqual(more.checkpointSeconds);
        const files = less.parallelFilesMax ?? 0;
        const needed = budgetFigures.oneFileBytes + (files - 1) * budgetFigures.furtherFileBytes;
        if (files > 1) expect(needed).toBeLessThanOrEqual(Math.min(a, b));
      }),
    );
  });
});
