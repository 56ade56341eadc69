import type { Backup, BackupPhase, DeleteBackupRequest } from '@lateen/api-types';
import { aBackupStorageLocation } from '@lateen/testing';
import { describe, expect, it } from 'vitest';
import { type DeletionView, decideDeletion } from './decide-deletion.ts';
import { plannedRequests, plannedText } from './planned-request.ts';

const aRequest = (
  status?: DeleteBackupRequest['status'],
  parts: { labels?: Record<string, string>; backupName?: string } = {},
): DeleteBackupRequest => ({
  apiVersion: 'velero.io/v1',
  kind: 'DeleteBackupRequest',
  metadata: {
    name: 'r',
    creationTimestamp: '2030-01-01T00:00:00Z',
    ...(parts.labels === undefined ? {} : { labels: parts.labels }),
  },
  spec: { backupName: parts.backupName ?? 'b' },
  ...(status === undefined ? {} : { status }),
});

const aBackup = (phase: BackupPhase = 'Completed', status: Backup['status'] = {}): Backup => ({
  apiVersion: 'velero.io/v1',
  kind: 'Backup',
  metadata: { name: 'b', uid: 'uid-1' },
  spec: { storageLocation: 'default' },
  status: { phase, startTimestamp: '2029-12-01T00:00:00Z', ...status },
});

const decide = (view: Partial<DeletionView> = {}) =>
  decideDeletion({
    request: aRequest(),
    backup: aBackup(),
    location: aBackupStorageLocation(),
    restores: [],
    nowMs: Date.parse('2030-01-01T01:00:00Z'),
    ...view,
  });

describe('decideDeletion', () => {
  it.each<[string, Partial<DeletionView>, object]>([
    ['works on a new request', {}, { kind: 'work' }],
    ['continues with one at work', { request: aRequest({ phase: 'InProgress' }) }, { kind: 'work' }],
    ['continues with a backup that is half deleted', { backup: aBackup('Deleting') }, { kind: 'work' }],
    [
      'takes a backup that waits in the queue',
      { backup: aBackup('Queued', { startTimestamp: null }) },
      { kind: 'work' },
    ],
    [
      'keeps an answered one for a day',
      { request: aRequest({ phase: 'Processed' }) },
      { kind: 'wait', afterMs: 82_800_000 },
    ],
    [
      'and no longer',
      { request: aRequest({ phase: 'Processed' }), nowMs: Date.parse('2030-01-02T00:00:00Z') },
      { kind: 'forget' },
    ],
    [
      'ends one whose Backup is gone',
      { request: aRequest({ phase: 'InProgress' }), backup: undefined },
      { kind: 'finish' },
    ],
    [
      'a name',
      { request: aRequest(undefined, { backupName: '' }) },
      { kind: 'refuse', error: 'spec.backupName is required' },
    ],
    ['a backup', { backup: undefined }, { kind: 'refuse', error: 'backup not found' }],
    [
      'the backup that was meant',
      { request: aRequest(undefined, { labels: { 'velero.io/backup-uid': 'uid-0' } }) },
      { kind: 'refuse', error: 'backup not found: there is another one of that name by now' },
    ],
    ['its location', { location: undefined }, { kind: 'refuse', error: 'backup storage location default not found' }],
    [
      'a location that may be written',
      { location: aBackupStorageLocation({ spec: { accessMode: 'ReadOnly' } }) },
      {
        kind: 'refuse',
        error: 'cannot delete backup because backup storage location default is currently in read-only mode',
      },
    ],
    [
      'one that can be reached',
      { location: aBackupStorageLocation({ phase: 'Unavailable' }) },
      {
        kind: 'refuse',
        error: 'cannot delete backup because backup storage location default is currently in Unavailable state',
      },
    ],
    [
      'a backup that nobody reads',
      {
        restores: [
          { apiVersion: 'velero.io/v1', kind: 'Restore', metadata: { name: 'back' }, spec: { backupName: 'b' } },
        ],
      },
      { kind: 'refuse', error: 'backup is in use by Restore back: wait for its end, or delete it first' },
    ],
    [
      'nothing of the kind for what was never stored',
      { backup: aBackup('FailedValidation', { startTimestamp: null }), location: undefined },
      { kind: 'work' },
    ],
    [
      'nor for what failed because the bucket had one of that name',
      { backup: aBackup('Failed', { failureReason: 'backup already exists in object storage' }), location: undefined },
      { kind: 'work' },
    ],
  ])('%s', (_, view, step) => expect(decide(view)).toMatchObject(step));

  it.each<[BackupPhase, boolean]>([
    ['ReadyToStart', true],
    ['InProgress', true],
    ['WaitingForPluginOperations', true],
    ['WaitingForPluginOperationsPartiallyFailed', true],
    ['Finalizing', true],
    ['FinalizingPartiallyFailed', true],
    ['Canceling', true],
    ['Canceled', false],
    ['Failed', false],
    ['PartiallyFailed', false],
  ])('of a backup that is %s is refused: %s', (phase, refused) => {
    expect(decide({ backup: aBackup(phase) })).toMatchObject(
      refused ? { kind: 'refuse', error: 'backup is still in progress' } : { kind: 'work' },
    );
  });
});

describe('what was planned', () => {
  it('is read back from the request', () => {
    const planned = [
      { request: 'forget-1', repository: 'a-default-kopia' },
      { request: 'forget-2', repository: 'b-default-restic' },
    ];
    const request = aRequest();
    expect(plannedRequests(request)).toBeUndefined();
    for (const each of [planned, []]) {
      request.metadata.annotations = { 'lateen.dev/forget-requests': plannedText(each) };
      expect(plannedRequests(request)).toEqual(each);
    }
  });
});
