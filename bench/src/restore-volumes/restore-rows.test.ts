import { describe, expect, it } from 'vitest';
import { rowsOf, type WayResult } from './restore-rows.ts';

const result = (more: Partial<WayResult>): WayResult => ({
  way: { name: 'kopia', title: 'kopia' },
  latencyMs: 30,
  seconds: 60,
  files: 1000,
  whole: true,
  note: 'how',
  ...more,
});

describe('rowsOf', () => {
  it('returns the time of completed restores, and extrapolates that of interrupted ones', () => {
    const of = (more: Partial<WayResult>, mode: 'Filesystem' | 'Block' = 'Filesystem') =>
      rowsOf({ name: 'any', title: 'tree', mode }, { files: 10_000 }, [result(more)])[0];
    expect(of({ files: 10_000 })).toEqual({ name: 'tree: kopia, 30 ms', value: 60, unit: 's', note: 'how' });
    expect(of({ whole: false })).toMatchObject({ value: 600, note: 'how (worked out from 1,000 files)' });
    expect(of({ whole: false, files: 0 })).toMatchObject({ value: 60 });
    expect(of({ whole: false }, 'Block')).toMatchObject({ value: 60 });
    expect(of({ latencyMs: undefined })?.name).toBe('tree: kopia');
  });

  it('compares our way with a ceiling at the same latency, when both were completed', () => {
    const way = (name: string, seconds: number, more: Partial<WayResult> = {}) =>
      result({ way: { name, title: name }, seconds, files: 1, ...more });
    const ratiosOf = (name: string, results: WayResult[]) =>
      rowsOf({ name, title: name, mode: 'Filesystem' }, { files: 1 }, results)
        .slice(results.length)
        .map(({ name, value, reached }) => [name, value, reached]);
    const tar = way('tar', 10, { latencyMs: undefined });
    expect(ratiosOf('small', [tar, way('direct', 31, { latencyMs: 0 }), way('direct', 40)])).toEqual([
      ['small, 0 ms: time of direct / tar', 3.1, false],
      ['small, 30 ms: time of direct / tar', 4, true],
    ]);
    expect(ratiosOf('large', [way('download', 8), way('direct', 10), way('direct-256', 15)])).toEqual([
      ['large, 30 ms: speed of direct / download', 0.8, true],
      ['large, 30 ms: time of direct-256 / direct', 1.5, false],
    ]);
    expect(ratiosOf('small', [tar, way('direct', 20, { whole: false })])).toEqual([]);
  });
});
