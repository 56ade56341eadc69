import { type DataMovementPhase, dataMovementPhases, isTerminalPhase } from '@lateen/api-types';
import { describe, expect, it } from 'vitest';
import { mayMove, phaseMoves, phaseOf } from './phase-moves.ts';

describe('the phase transitions of a data movement', () => {
  it('know every phase of the API and no other', () => {
    expect(Object.keys(phaseMoves).toSorted()).toEqual([...dataMovementPhases].toSorted());
  });
  it('end in a terminal phase, which never changes', () => {
    for (const phase of dataMovementPhases) expect(phaseMoves[phase].length === 0).toBe(isTerminalPhase(phase));
  });
  it('reach an end from everywhere', () => {
    for (const phase of dataMovementPhases) {
      const reached = new Set<DataMovementPhase>([phase]);
      for (const each of reached) for (const next of phaseMoves[each]) reached.add(next);
      expect([...reached].some(isTerminalPhase)).toBe(true);
    }
  });
  it('never go back, unless to Accepted for another attempt', () => {
    for (const [index, phase] of dataMovementPhases.slice(0, 5).entries()) {
      for (const earlier of dataMovementPhases.slice(0, index + 1)) {
        const again = earlier === 'Accepted' && (phase === 'Prepared' || phase === 'InProgress');
        expect(mayMove(phase, earlier)).toBe(again);
      }
    }
  });
  it('can fail and be canceled until the end', () => {
    for (const phase of dataMovementPhases) {
      expect(mayMove(phase, 'Failed')).toBe(!isTerminalPhase(phase));
      expect(mayMove(phase, 'Canceled')).toBe(!isTerminalPhase(phase));
    }
  });
});

describe('the phase of an object', () => {
  it.each([[{}], [{ status: {} }], [{ status: { phase: '' } }]])('%j reads as New', (object) => {
    expect(phaseOf(object)).toBe('New');
  });
  it('is as written', () => {
    expect(phaseOf({ status: { phase: 'Canceling' } })).toBe('Canceling');
  });
});
