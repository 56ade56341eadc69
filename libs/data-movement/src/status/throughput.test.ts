import type { RestoreReport } from '@lateen/datapath';
import { describe, expect, it } from 'vitest';
import { RunningThroughput, throughputOf } from './throughput.ts';

describe('the throughput of a running restore', () => {
  it('has recent rates, as whole numbers', () => {
    const running = new RunningThroughput();
    running.see({ doneBytes: 0, doneFiles: 0 }, 0);
    running.see({ doneBytes: 3_000, doneFiles: 10 }, 3_000);
    const progress = { totalBytes: 9_000, doneBytes: 7_000, totalFiles: 99, doneFiles: 21, limitedBy: 'disk' as const };
    running.see(progress, 6_000);
    expect(running.of(progress)).toEqual({
      filesDone: 21,
      totalFiles: 99,
      filesPerSecond: 4,
      bytesPerSecond: 1_167,
      limitedBy: 'disk',
    });
  });
  it('omits files that are not counted', () => {
    const running = new RunningThroughput();
    running.see({ doneBytes: 0 }, 0);
    running.see({ doneBytes: 8_000 }, 2_000);
    expect(running.of({ totalBytes: 9_000, doneBytes: 8_000 })).toEqual({ bytesPerSecond: 4_000 });
  });
});

describe('the throughput of a completed restore', () => {
  const report: RestoreReport = {
    reader: 'packs',
    limitedBy: 'store-latency',
    files: 300_000,
    filesPerSecond: 8_123.4,
    bytesPerSecond: 812_340.2,
    storeBytes: 62_000_000,
    storeRequests: 9,
    storeLatencyMs: 28.4,
    storeRequestsInFlight: 64,
    seconds: 36.93,
  };
  it('is its report, in the units of the API', () => {
    expect(throughputOf(report, 'Filesystem')).toEqual({
      filesDone: 300_000,
      totalFiles: 300_000,
      filesPerSecond: 8_123,
      bytesPerSecond: 812_340,
      limitedBy: 'store-latency',
      reader: 'packs',
      storeBytes: 62_000_000,
      storeRequests: 9,
      storeRequestsInFlight: 64,
      storeLatencyMilliseconds: 28,
      durationMilliseconds: 36_930,
    });
  });
  it('removes values that were reported while it ran and are unknown at the end', () => {
    const { limitedBy: _, ...rest } = report;
    expect(throughputOf({ ...rest, files: 0, filesPerSecond: 0 }, 'Filesystem')).toMatchObject({
      filesDone: null,
      totalFiles: null,
      filesPerSecond: null,
      limitedBy: null,
    });
  });
  it('has no files for a device, which is one file in the repository', () => {
    const block = throughputOf({ ...report, files: 1, filesPerSecond: 1 }, 'Block');
    expect(block).toMatchObject({ filesDone: null, filesPerSecond: null, bytesPerSecond: 812_340 });
  });
  it('reports how much of the volume was compared, already present, and written', () => {
    const differences = { comparedBytes: 900, unchangedBytes: 880, writtenBytes: 20 };
    expect(throughputOf({ ...report, ...differences }, 'Block')).toMatchObject(differences);
  });
  it('names why the engine was used', () => {
    const byEngine: RestoreReport = { ...report, reader: 'engine', reason: 'the repository uses ECC' };
    expect(throughputOf(byEngine, 'Filesystem')).toMatchObject({
      reader: 'engine',
      readerReason: 'the repository uses ECC',
    });
  });
});
