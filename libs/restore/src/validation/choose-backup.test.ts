import type { Backup, BackupPhase } from '@lateen/api-types';
import { describe, expect, it } from 'vitest';
import { type BackupChoice, chooseBackup, wrongWithPhase } from './choose-backup.ts';

const backup = (name: string, phase: BackupPhase | undefined, startTimestamp?: string): Backup => ({
  apiVersion: 'velero.io/v1',
  kind: 'Backup',
  metadata: { name },
  spec: {},
  status: { ...(phase === undefined ? {} : { phase }), ...(startTimestamp === undefined ? {} : { startTimestamp }) },
});
const one = { error: 'Either a backup or schedule must be specified as a source for the restore, but not both' };

describe('the backup of a restore', () => {
  it.each<[title: string, spec: Parameters<typeof chooseBackup>[0], of: readonly Backup[] | undefined, BackupChoice]>([
    ['is the named one', { backupName: 'b' }, [], { name: 'b' }],
    ['is unknown without a source', {}, [], one],
    ['is unknown with two sources', { backupName: 'b', scheduleName: 's' }, [], one],
    ['is unknown with empty sources', { backupName: '', scheduleName: '' }, [], one],
    [
      'cannot be found without a list of backups',
      { scheduleName: 's' },
      undefined,
      { error: 'Unable to list backups for schedule' },
    ],
    [
      'does not exist for a schedule without backups',
      { scheduleName: 's' },
      [],
      { error: 'No backups found for schedule' },
    ],
    [
      'does not exist for a schedule without a completed backup',
      { scheduleName: 's' },
      [backup('a', 'PartiallyFailed', '2030-01-02T00:00:00Z'), backup('b', undefined)],
      { error: 'No completed backups found for schedule' },
    ],
    [
      'is the newest completed backup of a schedule',
      { scheduleName: 's' },
      [
        backup('old', 'Completed', '2030-01-01T00:00:00Z'),
        backup('new', 'Completed', '2030-01-02T00:00:00Z'),
        backup('newer', 'PartiallyFailed', '2030-01-03T00:00:00Z'),
        backup('no time', 'Completed'),
      ],
      { name: 'new' },
    ],
  ])('%s', (_, spec, of, choice) => {
    expect(chooseBackup(spec, of)).toEqual(choice);
  });

  it.each<[BackupPhase | undefined, boolean]>([
    ['Completed', true],
    ['PartiallyFailed', true],
    ['Failed', false],
    ['FailedValidation', false],
    ['InProgress', false],
    ['WaitingForPluginOperations', false],
    ['Finalizing', false],
    ['Deleting', false],
    ['Canceled', false],
    [undefined, false],
  ])('in phase %s can be restored: %s', (phase, can) => {
    expect(wrongWithPhase(backup('b', phase))).toBe(
      can
        ? undefined
        : `backup b cannot be restored, its phase is ${phase ?? 'New'}: only one that is Completed or PartiallyFailed can`,
    );
  });
});
