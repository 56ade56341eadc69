import { finalizers, type Restore, type RestorePhase, restorePhases } from '@lateen/api-types';
import { describe, expect, it } from 'vitest';
import { decideRestore, type RestoreStep } from './decide-restore.ts';
import { isNew, isUnderWay, mayMove, phaseOf, restorePhaseMoves } from './phase-moves.ts';

const restore = (
  phase: string | undefined,
  parts: { cancel?: boolean; deleted?: boolean; held?: boolean } = {},
): Restore => ({
  apiVersion: 'velero.io/v1',
  kind: 'Restore',
  metadata: {
    name: 'r',
    ...(parts.deleted === true ? { deletionTimestamp: '2030-01-01T00:00:00Z' } : {}),
    ...(parts.held === true ? { finalizers: [finalizers.restoreUnderWay] } : {}),
  },
  spec: parts.cancel === true ? { cancel: true } : {},
  ...(phase === undefined ? {} : { status: { phase: phase as RestorePhase } }),
});

describe('phases of a restore', () => {
  it('never leave a final phase', () => {
    for (const phase of ['FailedValidation', 'Completed', 'PartiallyFailed', 'Failed', 'Canceled'] as const)
      expect(restorePhaseMoves[phase]).toEqual([]);
  });

  it('lead from each phase to a final phase', () => {
    const ends = (phase: RestorePhase, seen: readonly RestorePhase[] = []): boolean =>
      (!isUnderWay(restore(phase)) && !isNew(restore(phase))) ||
      restorePhaseMoves[phase].some((next) => !seen.includes(next) && ends(next, [...seen, phase]));
    for (const phase of restorePhases) expect([phase, ends(phase)]).toEqual([phase, true]);
  });

  it('reach Canceled only through Canceling once work has begun', () => {
    for (const phase of restorePhases.filter((each) => isUnderWay(restore(each)) && each !== 'Canceling'))
      expect([phase, mayMove(phase, 'Canceled'), mayMove(phase, 'Canceling')]).toEqual([phase, false, true]);
  });

  it('read as New when absent, and are rejected when unknown', () => {
    expect([phaseOf(restore(undefined)), phaseOf(restore(''))]).toEqual(['New', 'New']);
    expect(() => phaseOf(restore('Pondering'))).toThrow('the phase "Pondering" is not known to this version');
  });
});

it.each<[Parameters<typeof restore>, RestoreStep]>([
  [[undefined], 'begin'],
  [['New'], 'begin'],
  [['InProgress'], 'pick up'],
  [['WaitingForPluginOperations'], 'follow'],
  [['WaitingForPluginOperationsPartiallyFailed'], 'follow'],
  [['Finalizing'], 'finalize'],
  [['FinalizingPartiallyFailed'], 'finalize'],
  [['Completed'], 'leave'],
  [['Completed', { cancel: true }], 'leave'],
  [['Completed', { held: true }], 'release'],
  [['FailedValidation'], 'leave'],
  [[undefined, { cancel: true }], 'cancel at once'],
  [['InProgress', { cancel: true }], 'cancel'],
  [['WaitingForPluginOperations', { cancel: true }], 'cancel'],
  [['FinalizingPartiallyFailed', { cancel: true }], 'cancel'],
  [['Canceling', { cancel: true }], 'end'],
  [['Canceled', { cancel: true }], 'leave'],
  [['New', { deleted: true }], 'leave'],
  [['InProgress', { deleted: true }], 'leave'],
  [['InProgress', { deleted: true, held: true }], 'end and release'],
  [['Canceling', { deleted: true, held: true }], 'end and release'],
  [['Completed', { deleted: true, held: true }], 'release'],
])('a restore with %j needs the step: %s', (input, expected) => {
  expect(decideRestore(restore(...input))).toBe(expected);
});
