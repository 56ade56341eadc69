import type { Backup, BackupStatus, PodVolumeBackup } from '@lateen/api-types';
import type { BackupOperation, Result } from '@lateen/backup-store';
import { aDataUpload } from '@lateen/testing';
import { describe, expect, it } from 'vitest';
import type { Cause } from '../../run/causes.ts';
import { causesOf } from './causes.ts';
import type { InspectedBackup } from './inspect-backup.ts';

const inspected = (status: BackupStatus, parts: Partial<InspectedBackup> = {}): InspectedBackup => ({
  backup: { apiVersion: 'velero.io/v1', kind: 'Backup', metadata: { name: 'b' }, spec: {}, status } satisfies Backup,
  deleteRequests: [],
  podVolumeBackups: [],
  uploads: [],
  ...parts,
});
const errors = (result: Result): Partial<InspectedBackup> => ({
  results: { kind: 'read', value: { warnings: {}, errors: result } },
});
const upload = (pvc: string, phase: 'Failed' | 'Canceled' | 'Completed' | 'InProgress', message?: string) =>
  aDataUpload({
    name: `u-${pvc}`,
    phase,
    spec: { sourceNamespace: 'shop', sourcePVC: pvc },
    ...(message === undefined ? {} : { status: { message } }),
  });
const podVolume = (volume: string, message?: string): PodVolumeBackup => ({
  apiVersion: 'velero.io/v1',
  kind: 'PodVolumeBackup',
  metadata: { name: `p-${volume}`, namespace: 'velero' },
  spec: {
    node: 'n',
    pod: { namespace: 'shop', name: 'web-0' },
    volume,
    backupStorageLocation: 'd',
    repoIdentifier: '',
  },
  status: { phase: message === undefined ? 'Completed' : 'Failed', ...(message === undefined ? {} : { message }) },
});
const operation = (name: string, error?: string): BackupOperation => ({
  spec: {
    backupName: 'b',
    backupUID: 'u',
    backupItemAction: 'velero.io/csi-pvc-backupper',
    resourceIdentifier: { Group: '', Resource: 'persistentvolumeclaims', Namespace: 'shop', Name: name },
    operationID: `op-${name}`,
    postOperationItems: null,
  },
  status: { phase: 'Failed', ...(error === undefined ? {} : { error }) },
});
const failed: BackupStatus = { phase: 'PartiallyFailed' };

describe('the causes of failures in a backup', () => {
  it.each<[string, InspectedBackup, Cause[]]>([
    ['nothing failed', inspected({ phase: 'Completed' }), []],
    [
      'the whole backup failed, on one line',
      inspected({ phase: 'Failed', failureReason: 'no such\n\u001b[2Jbucket' }),
      [{ about: '', why: 'no such [2Jbucket' }],
    ],
    [
      'several validation errors',
      inspected({ phase: 'FailedValidation', validationErrors: ['a', 'b'] }),
      [
        { about: '', why: 'a' },
        { about: '', why: 'b' },
      ],
    ],
    [
      'a volume, with the message of its DataUpload instead of its operation',
      inspected(failed, {
        uploads: [upload('data', 'Failed', 'repository is locked'), upload('ok', 'Completed')],
        operations: { kind: 'read', value: [operation('data', 'data upload failed')] },
      }),
      [{ about: 'shop/data', why: 'repository is locked', see: 'lateen volume describe upload/u-data' }],
    ],
    [
      'a volume whose DataUpload is gone, with the message of its operation',
      inspected(failed, { operations: { kind: 'read', value: [operation('data', 'timed out'), operation('x')] } }),
      [
        { about: 'shop/data', why: 'timed out' },
        { about: 'shop/x', why: 'its operation op-x failed' },
      ],
    ],
    [
      'a canceled DataUpload without a message, and none for a running one',
      inspected(failed, { uploads: [upload('data', 'Canceled'), upload('b', 'InProgress')] }),
      [{ about: 'shop/data', why: 'its DataUpload is Canceled', see: 'lateen volume describe upload/u-data' }],
    ],
    [
      'a pod volume, with the message of its PodVolumeBackup',
      inspected(failed, { podVolumeBackups: [podVolume('data', 'kubelet path is gone'), podVolume('ok')] }),
      [{ about: 'shop/web-0:data', why: 'kubelet path is gone', see: 'lateen volume describe pvb/p-data' }],
    ],
    [
      'objects, grouped by cause',
      inspected(
        failed,
        errors({
          velero: ['plain text'],
          cluster: [' resource: /nodes name: /n1 message: /cannot be read'],
          namespaces: {
            shop: ['a', 'b', 'c', 'd', 'e'].map((name) => ` resource: /pods name: /${name} error: /refused`),
            blog: [' name: /x error: /refused', 'no form at all'],
          },
        }),
      ),
      [
        { about: '', why: 'plain text' },
        { about: 'nodes n1', why: 'cannot be read' },
        { about: 'pods shop/a, pods shop/b, pods shop/c and 3 more', why: 'refused' },
        { about: 'blog', why: 'no form at all' },
      ],
    ],
    [
      'no cause twice, even if the results repeat it',
      inspected(failed, {
        uploads: [upload('data', 'Failed', 'repository is locked')],
        ...errors({ namespaces: { shop: [' name: /data error: /data upload u-data failed: repository is locked'] } }),
      }),
      [{ about: 'shop/data', why: 'repository is locked', see: 'lateen volume describe upload/u-data' }],
    ],
    [
      'none from missing files',
      inspected(failed, { results: { kind: 'missing' }, operations: { kind: 'missing' } }),
      [],
    ],
  ])('%s', (_, what, causes) => expect(causesOf(what)).toEqual(causes));
});
