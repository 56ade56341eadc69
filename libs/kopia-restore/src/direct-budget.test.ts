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

  it('has a thread for each CPU where memory allows, also for a part of one', () => {
    expect([budget(undefined, 8), budget(undefined, 0.5), budget(256, 8)].map(({ workers }) => workers)).toEqual([
      8, 1, 2,
    ]);
  });

  it('does something even in a pod that is far too small', () => {
    expect(budget(32, 1)).toMatchObject({ workers: 1, readerBytes: directFigures.readerBytesMin });
  });
});

describe('workersFor', () => {
  const MiB = 1024 ** 2;
  const has = { workers: 4, workersMax: 6 };
  it.each<[string, Parameters<typeof workersFor>[1], number]>([
    ['a few files need one', { totalBytes: 12.5e6, totalFiles: 100 }, 1],
    ['an empty volume needs one', { totalBytes: 0, totalFiles: 0 }, 1],
    ['many small files need all', { totalBytes: 3e7, totalFiles: 300_000 }, 4],
    ['bytes count too', { totalBytes: 129 * MiB, totalFiles: 1 }, 3],
    ['files that nobody counted may be many', { totalBytes: 10 }, 4],
    ['more are taken when they are asked for', { totalBytes: 1e12, totalFiles: 1, writersMax: 5 }, 5],
    ['as far as memory goes', { totalBytes: 1e12, totalFiles: 1, writersMax: 9 }, 6],
    ['and fewer', { totalBytes: 1e12, totalFiles: 1, writersMax: 2 }, 2],
  ])('%s', (_title, request, expected) => {
    expect(workersFor(has, request)).toBe(expected);
  });
});
