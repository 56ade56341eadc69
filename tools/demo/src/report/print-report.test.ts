import { describe, expect, it } from 'vitest';
import { type MovementRecord, phaseDurations, rate } from './movement-record.ts';
import { comparisonTable, fileTable, movementTable } from './print-report.ts';

const record: MovementRecord = {
  title: 'first upload',
  phases: [
    { phase: 'New', atMs: 0 },
    { phase: 'Accepted', atMs: 200 },
    { phase: 'InProgress', atMs: 1200 },
    { phase: 'Completed', atMs: 6200 },
  ],
  startedAtMs: 0,
  endedAtMs: 6200,
  totalBytes: 500_000_000,
  incrementalBytes: 500_000_000,
  storedBytes: 510_000_000,
};

describe('the demo\u2019s report', () => {
  it('prints the duration of each phase, and the rate while data moved', () => {
    expect(phaseDurations(record)).toEqual([
      { phase: 'New', ms: 200 },
      { phase: 'Accepted', ms: 1000 },
      { phase: 'InProgress', ms: 5000 },
    ]);
    expect(rate(record)).toBe(100_000_000);
    expect(movementTable([record])).toContain('95.4 MiB/s');
  });
  it('prints the throughput in the status of a restore', () => {
    const throughput = { bytesPerSecond: 54_000_000, filesPerSecond: 1_116, limitedBy: 'disk' };
    const printed = movementTable([{ ...record, throughput }]);
    expect(printed).toContain('51.5 MiB/s');
    expect(printed).toContain('1116 files/s');
    expect(printed).toContain('limited by disk');
    expect(printed).not.toContain('95.4 MiB/s');
  });
  it('lists what is in the bucket', () => {
    expect(fileTable([{ key: 'backups/b/b.tar.gz', sizeBytes: 2_500 }])).toMatch(/backups\/b\/b\.tar\.gz .* 2\.44 KiB/);
  });
  it('prints kept, wrong, or that there was nothing to compare', () => {
    const printed = comparisonTable([
      { aspect: 'hard links', compared: 2, different: ['a', 'b'] },
      { aspect: 'content', compared: 9, different: ['c'] },
      { aspect: 'modes', compared: 9, different: [] },
      { aspect: 'POSIX ACLs', compared: 0, different: [] },
    ]);
    expect(printed).toMatch(/hard links .* WRONG: a, b/);
    expect(printed).toMatch(/content .* WRONG: c/);
    expect(printed).toMatch(/modes .* equal/);
    expect(printed).toMatch(/POSIX ACLs .* none in this directory/);
  });
});
