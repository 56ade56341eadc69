import { describe, expect, it } from 'vitest';
import { rowsOf } from './splitter-cost.ts';

const cost = (cpuMs: number, storedBytes: number) => ({ cpuMs, ms: 2 * cpuMs, storedBytes });

describe('rowsOf', () => {
  it('returns ratios of consecutive runs, with the medians of both', () => {
    const pairs = [
      { before: cost(4000, 1e8), now: cost(1000, 1e8) },
      { before: cost(1000, 1e8), now: cost(500, 2e8) },
      { before: cost(2000, 1e8), now: cost(1500, 1e8) },
    ];
    expect(rowsOf('a device', pairs).map(({ name, value, note }) => [name, value, note])).toEqual([
      ['a device: CPU now / before', 0.5, '1.00 s against 2.00 s'],
      ['a device: time now / before', 0.5, '2.00 s against 4.00 s'],
      ['a device: stored now / before', 1, '100.0 MB against 100.0 MB'],
    ]);
  });
});
