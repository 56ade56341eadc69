import { describe, expect, it } from 'vitest';
import { dataMovementPhases, isTerminalPhase } from './data-movement-phase.ts';

describe('isTerminalPhase', () => {
  it('is true for the three final phases only', () => {
    expect(dataMovementPhases.filter(isTerminalPhase)).toEqual(['Canceled', 'Completed', 'Failed']);
  });

  it.each([undefined, '', 'completed', 'PartiallyFailed'])('is false for %s', (phase) => {
    expect(isTerminalPhase(phase)).toBe(false);
  });
});
