import { describe, expect, it } from 'vitest';
import { pageOf } from './list-records.ts';

const records = ['1', '2', '3', '4', '5'].map((digit) => ({ id: `vol-12345678-${digit.repeat(32)}` }));
const at = (index: number) => records[index]?.id ?? '';

describe('pageOf', () => {
  it('returns all records without a limit', () => {
    expect(pageOf(records, { entriesMax: 0, token: '' })).toEqual({ entries: records });
  });

  it('returns each record once, page by page', () => {
    const seen: string[] = [];
    let token = '';
    do {
      const page = pageOf(records, { entriesMax: 2, token });
      seen.push(...page.entries.map(({ id }) => id));
      token = page.nextToken ?? '';
    } while (token !== '');
    expect(seen).toEqual(records.map(({ id }) => id));
  });

  it('continues after a record that was deleted meanwhile', () => {
    const rest = records.filter((_, index) => index !== 1);
    expect(pageOf(rest, { entriesMax: 1, token: at(1) }).entries).toEqual([records[2]]);
  });

  it.each(['x', '../..', 'vol-1'])('rejects the token %j, which it has not issued, with ABORTED', (token) => {
    expect(() => pageOf(records, { entriesMax: 1, token })).toThrow(expect.objectContaining({ code: 'ABORTED' }));
  });

  it('rejects a negative number', () => {
    expect(() => pageOf(records, { entriesMax: -1, token: '' })).toThrow(
      expect.objectContaining({ code: 'INVALID_ARGUMENT' }),
    );
  });
});
