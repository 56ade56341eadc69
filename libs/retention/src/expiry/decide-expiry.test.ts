import type { Backup, BackupPhase, DeleteBackupRequest, Restore, RestorePhase, Schedule } from '@lateen/api-types';
import { aBackupStorageLocation } from '@lateen/testing';
import { describe, expect, it } from 'vitest';
import { decideExpiry, type ExpiryView } from './decide-expiry.ts';
import { isKept, keepAtLeast } from './keep-at-least.ts';

const nowMs = Date.parse('2030-01-10T00:00:00Z');

interface Parts {
  name?: string;
  phase?: BackupPhase | undefined;
  day?: number;
  expiration?: string | undefined;
  started?: boolean;
  keep?: string;
}

const aBackup = ({ name = 'b', phase = 'Completed', day = 1, started = true, keep, ...rest }: Parts = {}): Backup => ({
  apiVersion: 'velero.io/v1',
  kind: 'Backup',
  metadata: {
    name,
    namespace: 'velero',
    labels: { 'velero.io/schedule-name': 'nightly' },
    ...(keep === undefined ? {} : { annotations: { 'lateen.dev/keep-at-least': keep } }),
  },
  spec: { storageLocation: 'default' },
  status: {
    phase,
    ...('expiration' in rest ? { expiration: rest.expiration ?? null } : { expiration: '2030-01-09T00:00:00Z' }),
    ...(started ? { startTimestamp: `2030-01-0${day}T00:00:00Z` } : {}),
  },
});

const aRequest = (phase?: 'New' | 'InProgress' | 'Processed'): DeleteBackupRequest => ({
  apiVersion: 'velero.io/v1',
  kind: 'DeleteBackupRequest',
  metadata: { name: 'r' },
  spec: { backupName: 'b' },
  ...(phase === undefined ? {} : { status: { phase } }),
});

const aRestore = (spec: Restore['spec'], phase?: RestorePhase): Restore => ({
  apiVersion: 'velero.io/v1',
  kind: 'Restore',
  metadata: { name: 'back' },
  spec,
  ...(phase === undefined ? {} : { status: { phase } }),
});

const decide = (view: Partial<ExpiryView> = {}) =>
  decideExpiry({
    backup: aBackup(),
    location: aBackupStorageLocation(),
    requests: [],
    restores: [],
    keep: { kind: 'none' },
    siblings: [],
    nowMs,
    ...view,
  });

const running: BackupPhase[] = [
  'ReadyToStart',
  'InProgress',
  'WaitingForPluginOperations',
  'WaitingForPluginOperationsPartiallyFailed',
  'Finalizing',
  'FinalizingPartiallyFailed',
  'Canceling',
];

describe('decideExpiry', () => {
  it.each<[string, Partial<ExpiryView>, object]>([
    ['deletes an expired backup', {}, { kind: 'delete' }],
    [
      'waits for its expiration',
      { backup: aBackup({ expiration: '2030-01-10T00:00:10Z' }) },
      { kind: 'wait', afterMs: 10_001 },
    ],
    [
      'does not delete in the second of its expiration',
      { backup: aBackup({ expiration: '2030-01-10T00:00:00Z' }) },
      { kind: 'wait', afterMs: 1 },
    ],
    ['ignores a backup without expiration', { backup: aBackup({ expiration: undefined }) }, { kind: 'rest' }],
    ['ignores an invalid expiration', { backup: aBackup({ expiration: 'soon' }) }, { kind: 'rest' }],
    ['makes one request: a new one exists', { requests: [aRequest()] }, { kind: 'stay', why: 'asked' }],
    ['makes one request: one is in progress', { requests: [aRequest('InProgress')] }, { kind: 'stay', why: 'asked' }],
    ['makes another request after a failed one', { requests: [aRequest('Processed')] }, { kind: 'delete' }],
    [
      'makes another request for an incomplete deletion',
      { backup: aBackup({ phase: 'Deleting' }) },
      { kind: 'delete' },
    ],
    [
      'keeps a backup that a restore reads',
      { restores: [aRestore({ backupName: 'b' }, 'InProgress')] },
      { kind: 'stay', why: 'restored', detail: 'Restore back reads it' },
    ],
    [
      'keeps a backup that a restore is about to read',
      { restores: [aRestore({ backupName: 'b' })] },
      { kind: 'stay', why: 'restored' },
    ],
    [
      'keeps a backup that a restore may choose',
      { restores: [aRestore({ scheduleName: 'nightly' })] },
      { kind: 'stay', why: 'restored' },
    ],
    [
      'deletes a backup after its restore ended',
      { restores: [aRestore({ backupName: 'b' }, 'PartiallyFailed')] },
      { kind: 'delete' },
    ],
    [
      'deletes a backup when another one is being restored',
      { restores: [aRestore({ backupName: 'c' }, 'InProgress')] },
      { kind: 'delete' },
    ],
    ['reports a missing location', { location: undefined }, { kind: 'stay', why: 'location', failure: 'BSLNotFound' }],
    [
      'reports a read-only location',
      { location: aBackupStorageLocation({ spec: { accessMode: 'ReadOnly' } }) },
      { kind: 'stay', failure: 'BSLReadOnly' },
    ],
    [
      'reports an unavailable location',
      { location: aBackupStorageLocation({ phase: 'Unavailable' }) },
      { kind: 'stay', failure: 'BSLUnavailable' },
    ],
    [
      'needs no location for a backup that was never stored',
      { location: undefined, backup: aBackup({ phase: 'FailedValidation', started: false }) },
      { kind: 'delete' },
    ],
    [
      'keeps one of the last completed backups',
      { keep: { kind: 'newest', count: 1 }, siblings: [aBackup()] },
      { kind: 'stay', why: 'kept' },
    ],
  ])('%s', (_, view, step) => expect(decide(view)).toMatchObject(step));

  it.each(running)('keeps a backup in phase %s', (phase) => {
    expect(decide({ backup: aBackup({ phase }) })).toMatchObject({ kind: 'stay', why: 'running' });
  });
});

describe('the minimum number of kept backups', () => {
  const schedule = (text?: string): Schedule => ({
    apiVersion: 'velero.io/v1',
    kind: 'Schedule',
    metadata: { name: 'nightly', ...(text === undefined ? {} : { annotations: { 'lateen.dev/keep-at-least': text } }) },
    spec: { schedule: '@daily', template: {} },
  });
  const week: Backup[] = [
    aBackup({ name: 'd1', day: 1 }),
    aBackup({ name: 'd2', day: 2 }),
    aBackup({ name: 'd3', day: 3, phase: 'PartiallyFailed' }),
    aBackup({ name: 'd4', day: 4 }),
    aBackup({ name: 'd5', day: 5, phase: 'Failed' }),
    aBackup({ name: 'd6', day: 6, phase: 'InProgress' }),
  ];
  const kept = (of: Schedule | undefined, backups = week) =>
    backups.filter((backup) => isKept(backup, keepAtLeast(of, backups), backups)).map(({ metadata }) => metadata.name);

  it.each<[string, Schedule | undefined, Backup[], (string | undefined)[]]>([
    ['none by default', schedule(), week, []],
    ['none of zero', schedule('0'), week, []],
    ['the newest completed one', schedule('1'), week, ['d4']],
    ['the newest completed ones, even if later ones failed', schedule('2'), week, ['d2', 'd4']],
    ['all when there are fewer', schedule('7'), week, ['d1', 'd2', 'd4']],
    ['all completed ones when the number is invalid', schedule('three'), week, ['d1', 'd2', 'd4']],
    ['all completed ones when the number is negative', schedule('-1'), week, ['d1', 'd2', 'd4']],
    [
      'the number in the newest completed one when the schedule is gone',
      undefined,
      [aBackup({ name: 'd1', day: 1, keep: '5' }), aBackup({ name: 'd2', day: 2, keep: '1' })],
      ['d2'],
    ],
    [
      'none when the schedule is gone and that one has no number',
      undefined,
      [aBackup({ keep: '5', day: 1 }), aBackup({ name: 'x', day: 2 })],
      [],
    ],
    ['the number of the schedule, not of its backups', schedule(), [aBackup({ keep: '5' })], []],
    [
      'by their start time, even in another order after a sync from a bucket',
      schedule('1'),
      [aBackup({ name: 'z', day: 1 }), aBackup({ name: 'a', day: 2 })],
      ['a'],
    ],
  ])('keeps %s', (_, of, backups, names) => expect(kept(of, backups)).toEqual(names));
});
