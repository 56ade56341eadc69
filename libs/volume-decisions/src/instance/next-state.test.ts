import { type InstanceState, instanceMoves, instanceStates } from '@lateen/storage-types';
import { expect, it } from 'vitest';
import { nextState } from './next-state.ts';

it.each<[InstanceState, InstanceState, InstanceState]>([
  ['stopped', 'running', 'starting'],
  ['running', 'stopped', 'stopping'],
  ['starting', 'stopped', 'stopping'],
  ['unknown', 'starting', 'stopped'],
  ['error', 'running', 'stopped'],
  ['running', 'running', 'running'],
  ['suspended', 'running', 'suspended'],
])('from %s to %s passes through %s', (from, to, next) => {
  expect(nextState(from, to)).toBe(next);
});

it('moves only as the table allows', () => {
  for (const from of instanceStates)
    for (const to of instanceStates) {
      const next = nextState(from, to);
      expect(next === from || (instanceMoves[from] as readonly string[]).includes(next)).toBe(true);
    }
});
