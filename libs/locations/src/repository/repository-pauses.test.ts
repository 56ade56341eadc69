import { describe, expect, it } from 'vitest';
import { nextLookMs, recheckMs, retryPauseMs } from './repository-pauses.ts';

describe('the pauses of a repository', () => {
  const middle = { next: () => 0.5, uuid: () => '', suffix: () => '' };
  it.each([
    ['wrong', [30_000, 60_000, 120_000, 240_000, recheckMs, recheckMs]],
    ['passing', [5_000, 10_000, 20_000, 40_000, 80_000, recheckMs]],
  ] as const)('between attempts double, up to the check interval: %s', (fate, pauses) => {
    expect([1, 2, 3, 4, 5, 50].map((times) => retryPauseMs(fate, times, middle))).toEqual(pauses);
  });

  it('between checks vary by a fifth, and the first one is at a random time', () => {
    expect([0, 0.5, 1].map((chance) => Math.round(nextLookMs(false, chance)))).toEqual([240_000, recheckMs, 360_000]);
    expect([nextLookMs(true, 0), nextLookMs(true, 1)]).toEqual([0, recheckMs]);
  });
});
