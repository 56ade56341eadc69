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
    ['processes a new request', {}, { kind: 'work' }],
    ['continues with a request in progress', { request: aRequest({ phase: 'InProgress' }) }, { kind: 'work' }],
    ['continues with a backup that is partly deleted', { backup: aBackup('Deleting') }, { kind: 'work' }],
    [
      'deletes a backup that waits in the queue',
      { backup: aBackup('Queued', { startTimestamp: null }) },
      { kind: 'work' },
    ],
    [
      'keeps a processed request for a day',
      { request: aRequest({ phase: 'Processed' }) },
      { kind: 'wait', afterMs: 82_800_000 },
    ],
    [
      'deletes it after that',
      { request: aRequest({ phase: 'Processed' }), nowMs: Date.parse('2030-01-02T00:00:00Z') },
      { kind: 'forget' },
    ],
    [
      'deletes one whose Backup is gone',
      { request: aRequest({ phase: 'InProgress' }), backup: undefined },
      { kind: 'finish' },
    ],
    [
      'requires a name',
      { request: aRequest(undefined, { backupName: '' }) },
      { kind: 'refuse', error: 'spec.backupName is required' },
    ],
    ['requires a backup', { backup: undefined }, { kind: 'refuse', error: 'backup not found' }],
    [
      'requires the same backup',
      { request: aRequest(undefined, { labels: { 'velero.io/backup-uid': 'uid-0' } }) },
      { kind: 'refuse', error: 'backup not found: there is another one of that name by now' },
    ],
    [
      'requires its location',
      { location: undefined },
      { kind: 'refuse', error: 'backup storage location default not found' },
    ],
    [
      'requires a writable location',
      { location: aBackupStorageLocation({ spec: { accessMode: 'ReadOnly' } }) },
      {
        kind: 'refuse',
        error: 'cannot delete backup because backup storage location default is currently in read-only mode',
      },
    ],
    [
      'requires an available location',
      { location: aBackupStorageLocation({ phase: 'Unavailable' }) },
      {
        kind: 'refuse',
        error: 'cannot delete backup because backup storage location default is currently in Unavailable state',
      },
    ],
    [
      'requires a backup that no restore reads',
      {
        restores: [
          { apiVersion: 'velero.io/v1', kind: 'Restore', metadata: { name: 'back' }, spec: { backupName: 'b' } },
        ],
      },
      { kind: 'refuse', error: 'backup is in use by Restore back: wait for its end, or delete it first' },
    ],
    [
      'requires none of these for a backup that was never stored',
      { backup: aBackup('FailedValidation', { startTimestamp: null }), location: undefined },
      { kind: 'work' },
    ],
    [
      'requires none of these for one that failed because another one has its name',
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
  ])('for a backup in phase %s is rejected: %s', (phase, refused) => {
    expect(decide({ backup: aBackup(phase) })).toMatchObject(
      refused ? { kind: 'refuse', error: 'backup is still in progress' } : { kind: 'work' },
    );
  });
});

describe('the plan of a deletion', () => {
  it('is read from the request', () => {
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
