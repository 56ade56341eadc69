import { describe, expect, it } from 'vitest';
import { type DatabaseState, flawsOf } from './database-state.ts';

const state = (transactions: number, more: Partial<DatabaseState> = {}): DatabaseState => ({
  transactions,
  accounts: 7,
  tellers: 7,
  branches: 7,
  history: 7,
  ...more,
});

describe('flawsOf', () => {
  const around = { before: state(100), after: state(200) };
  it.each([
    ['all is well', state(150), []],
    ['half a transaction', state(150, { tellers: 8 }), [expect.stringContaining('tellers 8')]],
    ['something is lost', state(99), [expect.stringContaining('100 were there')]],
    ['something is too much', state(201), [expect.stringContaining('only 200')]],
    ['no number', state(Number.NaN, { accounts: Number.NaN }), [expect.stringContaining('NaN')]],
  ])('%s', (_title, restored, expected) => {
    expect(flawsOf(restored, around)).toEqual(expected);
  });
});
