import { describe, expect, it } from 'vitest';
import { directBudget, directFigures } from './direct-budget.ts';

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
