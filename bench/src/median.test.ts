import { describe, expect, it } from 'vitest';
import { median } from './median.ts';

describe('the median', () => {
  it('is the middle of an odd number of values and the mean of the middle two otherwise', () => {
    expect(median([3, 1, 2])).toBe(2);
    expect(median([4, 1, 2, 3])).toBe(2.5);
    expect(() => median([])).toThrow('no values');
  });
});
