import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { compareQuantities, parseQuantity, wholeUnits } from './quantity.ts';

const read = (text: string) => {
  const quantity = parseQuantity(text);
  if (quantity === undefined) throw new Error(`"${text}" is no quantity`);
  return quantity;
};
const compare = (a: string, b: string) => compareQuantities(read(a), read(b));

describe('a quantity', () => {
  it.each([
    // Each pair is the same amount in two notations.
    ['1', '1000m'],
    ['1', '1000000u'],
    ['1', '1000000000n'],
    ['1k', '1000'],
    ['1M', '1e6'],
    ['1G', '1E9'],
    ['1T', '1000G'],
    ['1P', '1000T'],
    ['12E', '12000P'],
    ['12E0', '12'],
    ['12e3', '12k'],
    ['12E3', '12000'],
    ['1e-3', '1m'],
    ['1E+3', '1k'],
    ['1e03', '1000'],
    ['1Ki', '1024'],
    ['1Mi', '1024Ki'],
    ['1.5Gi', '1536Mi'],
    ['1Ti', '1024Gi'],
    ['1Pi', '1024Ti'],
    ['1Ei', '1024Pi'],
    ['0.1', '100m'],
    ['0.1Ki', '102.4'],
    ['.5', '500m'],
    ['.5Gi', '512Mi'],
    ['5.', '5'],
    ['1.G', '1G'],
    ['+2', '2'],
    ['-0', '0'],
    ['0.000', '0n'],
    ['007', '7'],
    ['0.1e1', '1'],
  ])('%s equals %s', (one, other) => {
    expect(compare(one, other)).toBe(0);
    expect(compare(other, one)).toBe(0);
  });
  it.each([
    ['1Gi', '1G', 1],
    ['1e18', '1Ei', -1],
    // Values that a double cannot distinguish.
    ['9007199254740993', '9007199254740992', 1],
    ['9223372036854775807', '9223372036854775807.000000001', -1],
    ['0.1', '0.10000000000000000001', -1],
    ['-1', '1n', -1],
    ['-2', '-1', -1],
    ['1e1000', '1Ei', 1],
  ])('%s compared with %s: %d', (one, other, order) => {
    expect(compare(one, other)).toBe(order);
    expect(compare(other, one)).toBe(-order);
  });
  it.each([
    '',
    ' ',
    '+',
    '-',
    '.',
    '1 Gi',
    ' 1',
    '1\n',
    '1KB',
    '1K',
    '1g',
    '1ki',
    '1mi',
    '1i',
    '.5i',
    'Gi',
    'E',
    '1e',
    '1e+',
    '1E-',
    '1e1.5',
    '1e3m',
    '1m3',
    '1ee3',
    '--1',
    '+-1',
    '1.1.1',
    '0x1',
    '1,5',
    '1_000',
    'NaN',
    'Infinity',
    '１',
    '1e1001',
    '1constructor',
    `1${'0'.repeat(64)}`,
  ])('%j is not a quantity', (text) => {
    expect(parseQuantity(text)).toBeUndefined();
  });
  it.each([
    ['1.5Gi', 1_610_612_736n],
    ['0.1', 1n],
    ['1n', 1n],
    ['-0.5', 0n],
    ['2', 2n],
    ['1e3', 1000n],
    ['102.4Ki', 104_858n],
  ])('%s in whole units is %d', (text, units) => {
    expect(wholeUnits(read(text))).toBe(units);
  });
});

describe('any quantity', () => {
  const suffix = fc.constantFrom('n', 'u', 'm', '', 'k', 'M', 'G', 'T', 'P', 'E', 'Ki', 'Mi', 'Gi', 'Ti', 'Pi', 'Ei');
  const nano: Record<string, bigint> = { n: 1n, u: 10n ** 3n, m: 10n ** 6n, '': 10n ** 9n };
  for (const [index, name] of ['k', 'M', 'G', 'T', 'P', 'E'].entries()) {
    nano[name] = 10n ** (12n + 3n * BigInt(index));
    nano[`${name.toUpperCase()}i`] = 10n ** 9n * 1024n ** BigInt(index + 1);
  }
  const digits = fc.bigInt({ min: 0n, max: 10n ** 30n });

  it('is ordered by its amount', () => {
    fc.assert(
      fc.property(digits, suffix, digits, suffix, (a, aSuffix, b, bSuffix) => {
        const [left, right] = [a * (nano[aSuffix] as bigint), b * (nano[bSuffix] as bigint)];
        expect(compare(`${a}${aSuffix}`, `${b}${bSuffix}`)).toBe(left === right ? 0 : left < right ? -1 : 1);
      }),
    );
  });
  it('does not change when decimal point and exponent move together', () => {
    fc.assert(
      fc.property(digits, fc.nat({ max: 20 }), (value, places) => {
        const text = value.toString().padStart(places + 1, '0');
        const moved = `${text.slice(0, text.length - places)}.${text.slice(text.length - places)}e${places}`;
        expect(compare(moved, `${value}`)).toBe(0);
      }),
    );
  });
  it('is rejected or parsed, for any text, without an exception of another kind', () => {
    const text = fc.string({ unit: fc.constantFrom(...'0123456789.+-eEinumkKMGTP '), maxLength: 12 });
    fc.assert(
      fc.property(text, (each) => {
        const quantity = parseQuantity(each);
        if (quantity !== undefined) expect(compareQuantities(quantity, read(`${each}`))).toBe(0);
        if (/^[+-]?\d+$/.test(each)) expect(quantity).toEqual({ mantissa: BigInt(each), exponent: 0 });
      }),
    );
  });
});
