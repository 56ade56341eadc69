import { describe, expect, it } from 'vitest';
import { directBudget, directFigures, workersFor } from './direct-budget.ts';

const MiB = 1024 * 1024;
const budget = (memoryMiB: number | undefined, cpus: number) =>
  directBudget({
    cpus,
    memoryBytes: memoryMiB === undefined ? undefined : memoryMiB * MiB,
    bytesPerSecondMax: undefined,
  });

describe('directBudget', () => {
  it.each([
    [256, 2],
    [256, 64],
    [512, 4],
    [4096, 0.5],
  ])('stays within %i MiB on %d CPUs', (memoryMiB, cpus) => {
    const { workers, workersMax, readerBytes, indexBytes, windowEntries, folderBytesAheadMax } = budget(
      memoryMiB,
      cpus,
    );
    const { processBytes, workerBytes, entryBytes } = directFigures;
    const held = readerBytes + indexBytes + windowEntries * entryBytes + folderBytesAheadMax * 2;
    const sum = processBytes + workers * workerBytes + held;
    expect(sum).toBeLessThanOrEqual(memoryMiB * MiB);
    expect(workers).toBeGreaterThanOrEqual(1);
    expect(workers).toBeLessThanOrEqual(workersMax);
  });

  it('has a thread per CPU when memory allows, also for a fraction of a CPU', () => {
    expect([budget(undefined, 8), budget(undefined, 0.5), budget(256, 8)].map(({ workers }) => workers)).toEqual([
      8, 1, 2,
    ]);
  });

  it('has a minimum even in a pod that is much too small', () => {
    expect(budget(32, 1)).toMatchObject({ workers: 1, readerBytes: directFigures.readerBytesMin });
  });
});

describe('workersFor', () => {
  const MiB = 1024 ** 2;
  const has = { workers: 4, workersMax: 6 };
  it.each<[string, Parameters<typeof workersFor>[1], number]>([
    ['a few files need one worker', { totalBytes: 12.5e6, totalFiles: 100 }, 1],
    ['an empty volume needs one worker', { totalBytes: 0, totalFiles: 0 }, 1],
    ['many small files need all workers', { totalBytes: 3e7, totalFiles: 300_000 }, 4],
    ['large files need all workers', { totalBytes: 129 * MiB, totalFiles: 1 }, 3],
    ['an unknown number of files may be many', { totalBytes: 10 }, 4],
    ['the caller can ask for more', { totalBytes: 1e12, totalFiles: 1, writersMax: 5 }, 5],
    ['memory limits the number', { totalBytes: 1e12, totalFiles: 1, writersMax: 9 }, 6],
    ['the caller can ask for fewer', { totalBytes: 1e12, totalFiles: 1, writersMax: 2 }, 2],
  ])('%s', (_title, request, expected) => {
    expect(workersFor(has, request)).toBe(expected);
  });
});
