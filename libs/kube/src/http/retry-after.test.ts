import { expect, it } from 'vitest';
import { retryAfterMs } from './retry-after.ts';

const now = Date.parse('2030-01-01T00:00:00Z');

it.each([
  [undefined, undefined],
  ['', undefined],
  ['0', 0],
  ['1', 1_000],
  [' 120 ', 120_000],
  ['Tue, 01 Jan 2030 00:00:05 GMT', 5_000],
  ['Mon, 31 Dec 2029 23:59:00 GMT', 0],
  ['soon', undefined],
  ['-5', undefined],
  ['1.5', undefined],
  ['2030-01-01', undefined],
  ['99999999999999999999', undefined],
])('reads %s as %s ms', (header, expected) => {
  expect(retryAfterMs(header, now)).toBe(expected);
});
