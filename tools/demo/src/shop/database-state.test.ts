import { describe, expect, it } from 'vitest';
import { type DatabaseRecord, type DatabaseState, flawsOf } from './database-state.ts';

const record = (transactions: number, more: Partial<DatabaseState> = {}, dump = 'a sum'): DatabaseRecord => ({
  state: { transactions, accounts: 7, tellers: 7, branches: 7, history: 7, ...more },
  dump,
});

describe('flawsOf', () => {
  it.each([
    ['all is well', record(150), []],
    ['half a transaction', record(150, { tellers: 8 }), [expect.stringContaining('tellers 8'), expect.anything()]],
    ['something is lost', record(99), ['transactions 99, but before the backup it was 150']],
    ['another text', record(150, {}, 'another'), ['the output of pg_dump differs']],
    [
      'no number',
      record(150, { accounts: Number.NaN }),
      [expect.stringContaining('accounts NaN'), 'accounts NaN, but before the backup it was 7'],
    ],
  ])('%s', (_title, restored, expected) => {
    expect(flawsOf(restored, record(150))).toEqual(expected);
  });
});
