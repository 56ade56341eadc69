import { describe, expect, it } from 'vitest';
import { type LimitedResult, limitRows } from './limit-rows.ts';

const result = (
  isLimited: boolean,
  seconds: number,
  more: { killed?: number; failure?: string } = {},
): LimitedResult => ({
  title: 'files',
  movement: 'data-upload',
  isLimited,
  outcome: {
    figures: {
      seconds,
      dataPathSeconds: seconds,
      cpuSeconds: 1,
      anonymousBytesMax: 2e6,
      cacheBytesMax: 3e6,
      limitMet: 4,
      killed: more.killed ?? 0,
    },
    failure: more.failure,
  },
});

describe('limitRows', () => {
  it('compares the time within the limit with that without one', () => {
    const rows = limitRows([result(false, 10), result(true, 14)]);
    expect(rows.map(({ name, value, reached }) => [name, value, reached])).toEqual([
      ['files: data-upload, no limit', 10, undefined],
      ['files: data-upload, within 256 MiB', 14, true],
      ['files: data-upload, within 256 MiB / no limit', 1.4, false],
    ]);
    expect(rows[1]?.note).toBe('CPU 1.0 s; anonymous memory 2 MB; page cache 3 MB; limit met 4 times');
  });

  it.each([
    ['was killed', { killed: 1 }, /^1 killed for memory; /],
    ['has failed', { failure: 'the disk is full' }, /^the disk is full; /],
  ])('has no ratio for one that %s, and says so', (_, more, note) => {
    const rows = limitRows([result(false, 10), result(true, 5, more)]);
    expect(rows).toHaveLength(2);
    expect(rows[1]).toMatchObject({ reached: false, note: expect.stringMatching(note) as string });
  });
});
