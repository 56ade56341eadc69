import { expect, it } from 'vitest';
import { int64Of, int64Text } from './int64-text.ts';

it.each(['0', '1', '-1', '10737418240', '9007199254740993', '9223372036854775807', '-9223372036854775808'])(
  '%s is read as this number and written as the same text',
  (text) => {
    expect(int64Of(text)).toBe(BigInt(text));
    expect(int64Text(BigInt(text))).toBe(text);
  },
);

it.each([
  undefined,
  '',
  ' 1',
  '1 ',
  'ten',
  '1.5',
  '1e3',
  '0x10',
  '+1',
  '01',
  '-0',
  '9223372036854775808',
  '-9223372036854775809',
])('%j is not a number', (text) => {
  expect(int64Of(text)).toBeUndefined();
});

it.each([2n ** 63n, -(2n ** 63n) - 1n])('%s cannot be written', (value) => {
  expect(() => int64Text(value)).toThrow('is not an integer of 64 bits');
});
