import { type Backup, type BackupPhase, backupPhases, finalizers } from '@lateen/api-types';
import { describe, expect, it } from 'vitest';
import { type BackupStep, decideBackup } from './decide-backup.ts';
import { isUnderWay, mayMove, phaseMoves, phaseOf } from './phase-moves.ts';

const backup = (
  phase: string | undefined,
  parts: { cancel?: boolean; deleted?: boolean; held?: boolean } = {},
): Backup => ({
  apiVersion: 'velero.io/v1',
  kind: 'Backup',
  metadata: {
    name: 'b',
    ...(parts.deleted === true ? { deletionTimestamp: '2030-01-01T00:00:00Z' } : {}),
    ...(parts.held === true ? { finalizers: [finalizers.backupUnderWay] } : {}),
  },
  spec: parts.cancel === true ? { cancel: true } : {},
  ...(phase === undefined ? {} : { status: { phase: phase as BackupPhase } }),
});

describe('phases', () => {
  it('never leave a final phase except for deletion, and nothing leaves deletion', () => {
    for (const phase of ['FailedValidation', 'Completed', 'PartiallyFailed', 'Failed', 'Canceled'] as const)
      expect(phaseMoves[phase]).toEqual(['Deleting']);
    expect(phaseMoves.Deleting).toEqual([]);
  });

  it('lead from each phase to a final phase', () => {
    const ends = (phase: BackupPhase, seen: readonly BackupPhase[] = []): boolean =>
      !isUnderWay(backup(phase)) && phase !== 'New' && phase !== 'Queued' && phase !== 'ReadyToStart'
        ? true
        : phaseMoves[phase].some((next) => !seen.includes(next) && ends(next, [...seen, phase]));
    for (const phase of backupPhases) expect([phase, ends(phase)]).toEqual([phase, true]);
  });

  it('reach Canceled only through Canceling once work has begun', () => {
    for (const phase of backupPhases.filter((each) => isUnderWay(backup(each)) && each !== 'Canceling'))
      expect([phase, mayMove(phase, 'Canceled'), mayMove(phase, 'Canceling')]).toEqual([phase, false, true]);
  });

  it('read as New when absent, and are rejected when unknown', () => {
    expect([phaseOf(backup(undefined)), phaseOf(backup(''))]).toEqual(['New', 'New']);
    expect(() => phaseOf(backup('Pondering'))).toThrow('the phase "Pondering" is not known to this version');
  });
});

it.each<[Parameters<typeof backup>, BackupStep]>([
  [[undefined], 'leave'],
  [['Queued'], 'leave'],
  [['ReadyToStart'], 'begin'],
  [['InProgress'], 'pick up'],
  [['WaitingForPluginOperations'], 'follow'],
  [['WaitingForPluginOperationsPartiallyFailed'], 'follow'],
  [['Finalizing'], 'finalize'],
  [['FinalizingPartiallyFailed'], 'finalize'],
  [['Completed'], 'leave'],
  [['Completed', { cancel: true }], 'leave'],
  [['Completed', { held: true }], 'release'],
  [[undefined, { cancel: true }], 'cancel at once'],
  [['Queued', { cancel: true }], 'cancel at once'],
  [['ReadyToStart', { cancel: true }], 'cancel at once'],
  [['InProgress', { cancel: true }], 'cancel'],
  [['WaitingForPluginOperations', { cancel: true }], 'cancel'],
  [['FinalizingPartiallyFailed', { cancel: true }], 'cancel'],
  [['Canceling', { cancel: true }], 'take back'],
  [['Canceled', { cancel: true }], 'leave'],
  [['Queued', { deleted: true }], 'leave'],
  [['InProgress', { deleted: true }], 'leave'],
  [['InProgress', { deleted: true, held: true }], 'take back and release'],
  [['Canceling', { deleted: true, held: true }], 'take back and release'],
  [['Completed', { deleted: true, held: true }], 'release'],
])('a backup with %j needs the step: %s', (input, expected) => {
  expect(decideBackup(backup(...input))).toBe(expected);
});
