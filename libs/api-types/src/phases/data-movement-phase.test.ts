import { describe, expect, it } from 'vitest';
import { dataMovementPhases, isTerminalPhase } from './data-movement-phase.ts';

describe('isTerminalPhase', () => {
  it('holds for the three ends and for no other phase', () => {
    expect(dataMovementPhases.filter(isTerminalPhase)).toEqual(['Canceled', 'Completed', 'Failed']);
  });

  it.each([undefined, '', 'completed', 'PartiallyFailed'])('does not hold for %s', (phase) => {
    expect(isTerminalPhase(phase)).toBe(false);
  });
});
