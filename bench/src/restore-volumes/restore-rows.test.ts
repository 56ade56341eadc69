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
  it('gives the time of what came to its end, and works out that of what was stopped', () => {
    const of = (more: Partial<WayResult>, mode: 'Filesystem' | 'Block' = 'Filesystem') =>
      rowsOf({ title: 'tree', mode }, { files: 10_000 }, [result(more)])[0];
    expect(of({ files: 10_000 })).toEqual({ name: 'tree: kopia, 30 ms', value: 60, unit: 's', note: 'how' });
    expect(of({ whole: false })).toMatchObject({ value: 600, note: 'how (worked out from 1,000 files)' });
    expect(of({ whole: false, files: 0 })).toMatchObject({ value: 60 });
    expect(of({ whole: false }, 'Block')).toMatchObject({ value: 60 });
    expect(of({ latencyMs: undefined })?.name).toBe('tree: kopia');
  });
});
