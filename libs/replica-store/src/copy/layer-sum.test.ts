import { describe, expect, it } from 'vitest';
import { LayerSum } from './layer-sum.ts';

const unit = 4096;
const bytes = (...values: number[]) => Buffer.concat(values.map((value) => Buffer.alloc(unit, value)));
const sumOf = (fill: (sum: LayerSum) => void): string => {
  const sum = new LayerSum();
  fill(sum);
  return sum.hex();
};
const at = (index: number) => BigInt(index * unit);

describe('LayerSum', () => {
  const whole = sumOf((sum) => sum.data(0n, bytes(1, 2, 0, 0, 3)));

  it('does not depend on chunk sizes, or on zeros stored as data or as zero clusters', () => {
    const pieces = sumOf((sum) => {
      sum.data(0n, bytes(1));
      sum.data(at(1), bytes(2, 0));
      sum.zeros(at(3), BigInt(unit));
      sum.data(at(4), bytes(3));
    });
    expect(pieces).toBe(whole);
  });

  it.each([
    ['a byte', (sum: LayerSum) => sum.data(0n, bytes(1, 2, 0, 0, 4))],
    ['the place', (sum: LayerSum) => sum.data(at(1), bytes(1, 2, 0, 0, 3))],
    [
      'zeros that are missing in the layer',
      (sum: LayerSum) => {
        sum.data(0n, bytes(1, 2));
        sum.data(at(4), bytes(3));
      },
    ],
    [
      'a hole instead of a unit',
      (sum: LayerSum) => {
        sum.data(0n, bytes(1));
        sum.zeros(at(2), BigInt(2 * unit));
        sum.data(at(4), bytes(3));
      },
    ],
    ['nothing', () => {}],
  ])('changes with %s', (_, fill) => {
    expect(sumOf(fill)).not.toBe(whole);
  });
});
