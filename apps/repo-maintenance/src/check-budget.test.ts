import { describe, expect, it } from 'vitest';
import { checkBudget } from './check-budget.ts';

const MiB = 1024 * 1024;

describe('the budget of a check', () => {
  it.each([
    ['no limit', undefined, 4, { threads: 4, readerBytes: 128 * MiB, indexBytes: 256 * MiB }],
    ['256 MiB', 256 * MiB, 4, { threads: 1, readerBytes: 28 * MiB, indexBytes: 14 * MiB }],
    ['less than Node needs', 64 * MiB, 4, { threads: 1, readerBytes: 16 * MiB, indexBytes: 4 * MiB }],
    ['many processors', undefined, 200, { threads: 16 }],
  ])('with %s', (_, memoryBytes, cpus, expected) => {
    expect(checkBudget({ memoryBytes, cpus })).toMatchObject(expected);
  });
});
