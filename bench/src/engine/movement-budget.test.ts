import { describe, expect, it } from 'vitest';
import { rowsOf } from './movement-budget.ts';

const cost = (...cpuMs: number[]) => ({
  processes: cpuMs.map((ms) => ({ what: 'kopia show', cpuMs: ms, ms: ms + 1 })),
  ownCpuMs: 5,
  ms: 300,
});

describe('rowsOf', () => {
  it('adds up each run’s processes of a kind, and returns the medians', () => {
    const rows = rowsOf('restore', [cost(10, 20), cost(10, 40), cost(10, 30)]);
    expect(rows.map(({ name, value, note }) => [name, value, note])).toEqual([
      ['restore: CPU', 45, 'in 300 ms'],
      ['— kopia show', 40, '2 starts, 42 ms'],
      ['— the mover itself', 5, ''],
    ]);
  });

  it("omits the mover's own part when only kopia is measured", () => {
    expect(rowsOf('kopia: the program alone', [cost(15)]).map(({ value }) => value)).toEqual([15]);
  });
});
