import { describe, expect, it } from 'vitest';
import { instanceStates } from '../instance/instance-state.ts';
import { backupStates } from '../kinds/backup.ts';
import { volumeStates } from '../kinds/volume-state.ts';
import { backupMoves, backupStateOf } from './backup-moves.ts';
import { instanceMoves, instanceStateOf } from './instance-moves.ts';
import { mayMove, type StateMoves } from './state-moves.ts';
import { volumeMoves, volumeStateOf } from './volume-moves.ts';

function reachedFrom<S extends string>(moves: StateMoves<S>, state: S): ReadonlySet<S> {
  const reached = new Set<S>([state]);
  for (const each of reached) for (const next of moves[each]) reached.add(next);
  return reached;
}

describe('the state transitions of a volume', () => {
  it('know every state, and lead from each to deletion and from there nowhere', () => {
    expect(Object.keys(volumeMoves).toSorted()).toEqual(volumeStates.toSorted());
    for (const state of volumeStates) expect(reachedFrom(volumeMoves, state)).toContain('deleting');
    expect(volumeMoves.deleting).toEqual([]);
  });

  it('lead from attached to attached only through detached', () => {
    const withoutDetached = { ...volumeMoves, detached: [] };
    const later = new Set(withoutDetached.attached.flatMap((next) => [...reachedFrom(withoutDetached, next)]));
    expect(later).not.toContain('attaching');
    expect(mayMove(volumeMoves, 'detached', 'attached')).toBe(false);
  });
});

describe('the state transitions of an engine or replica', () => {
  it('know every state, and lead from each used state to stopped', () => {
    expect(Object.keys(instanceMoves).toSorted()).toEqual(instanceStates.toSorted());
    const ofV2 = ['suspended', 'terminated'];
    for (const state of instanceStates)
      expect([state, reachedFrom(instanceMoves, state).has('stopped')]).toEqual([state, !ofV2.includes(state)]);
  });

  it('lead from error to running only through a stop', () => {
    expect(instanceMoves.error).toEqual(['stopping', 'stopped']);
    expect(reachedFrom({ ...instanceMoves, stopped: [], unknown: [] }, 'error')).not.toContain('running');
  });
});

describe('the state transitions of a backup', () => {
  it('know every state, and allow one deletion from each', () => {
    expect(Object.keys(backupMoves).toSorted()).toEqual(backupStates.toSorted());
    for (const state of backupStates) expect(mayMove(backupMoves, state, 'Deleting')).toBe(state !== 'Deleting');
  });

  it('end in Completed and Error', () => {
    expect([backupMoves.Completed, backupMoves.Error]).toEqual([['Deleting'], ['Deleting']]);
  });
});

describe('the state of an object', () => {
  it.each([undefined, {}, { state: '' as 'creating' }])('%j is read as new', (status) => {
    expect(volumeStateOf(status === undefined ? {} : { status })).toBe('creating');
    expect(instanceStateOf(status === undefined ? {} : { status: {} })).toBe('stopped');
    expect(backupStateOf(status === undefined ? {} : { status: {} })).toBe('');
  });

  it('is read as written, unless this version does not know it', () => {
    expect(volumeStateOf({ status: { state: 'attached' } })).toBe('attached');
    expect(instanceStateOf({ status: { currentState: 'unknown' } })).toBe('unknown');
    expect(backupStateOf({ status: { state: 'Unknown' } })).toBe('Unknown');
    const later = { status: { state: 'moving' as 'attached' } };
    expect(() => volumeStateOf(later)).toThrow(expect.objectContaining({ code: 'PHASE_UNKNOWN' }));
    expect(() => volumeStateOf({ status: { state: 'toString' as 'attached' } })).toThrow('not known to this version');
  });
});
