import type { Unstructured } from '@lateen/api-types';
import type { BackupOperation, BackupVolumeInfo } from '@lateen/backup-store';
import { aDataUpload } from '@lateen/testing';
import { describe, expect, it } from 'vitest';
import { completeVolumes } from './complete-volumes.ts';

const operation = (operationID: string, status: Partial<BackupOperation['status']>): BackupOperation => ({
  spec: {
    backupName: 'b',
    backupUID: 'u',
    backupItemAction: 'velero.io/csi-pvc-backupper',
    resourceIdentifier: { Group: '', Resource: 'persistentvolumeclaims', Namespace: 'shop', Name: 'data' },
    operationID,
    postOperationItems: null,
  },
  status: { phase: 'Completed', updated: '2030-01-01T00:01:00Z', ...status },
});
const moved: BackupVolumeInfo = {
  pvcName: 'data',
  pvcNamespace: 'shop',
  pvName: 'pv-1',
  backupMethod: 'CSISnapshot',
  snapshotDataMoved: true,
  preserveLocalSnapshot: false,
  skipped: false,
  csiSnapshotInfo: {
    snapshotHandle: 'unknown',
    size: 0,
    driver: 'd',
    vscName: 'unknown',
    operationID: 'unknown',
    ReadyToUse: null,
  },
  snapshotDataMovementInfo: {
    dataMover: 'velero',
    uploaderType: 'kopia',
    snapshotHandle: '',
    operationID: 'du-1',
    size: 0,
    Phase: 'New',
  },
};
const kept: BackupVolumeInfo = {
  ...moved,
  pvName: 'pv-2',
  snapshotDataMoved: false,
  preserveLocalSnapshot: true,
  csiSnapshotInfo: {
    snapshotHandle: 'h',
    size: 5,
    driver: 'd',
    vscName: 'c',
    operationID: 'shop/vs/t',
    ReadyToUse: false,
  },
};
delete (kept as Partial<BackupVolumeInfo>).snapshotDataMovementInfo;

const upload = (status: object): Unstructured =>
  ({
    ...aDataUpload({ name: 'u', labels: { 'velero.io/async-operation-id': 'du-1' } }),
    status: { phase: 'Completed', ...status },
  }) as unknown as Unstructured;

describe('completing volume infos from operations', () => {
  it('adds size, handle, result and time of moved data', () => {
    const item = upload({
      snapshotID: 'k123',
      progress: { totalBytes: 100, bytesDone: 100 },
      incrementalBytes: 7,
      completionTimestamp: '2030-01-01T00:00:59Z',
    });
    expect(completeVolumes([moved], [operation('du-1', {})], [item])).toEqual([
      {
        ...moved,
        result: 'succeeded',
        completionTimestamp: '2030-01-01T00:00:59Z',
        snapshotDataMovementInfo: {
          ...moved.snapshotDataMovementInfo,
          Phase: 'Completed',
          snapshotHandle: 'k123',
          size: 100,
          incrementalSize: 7,
        },
      },
    ]);
  });

  it('adds the failure of a data movement, even when its DataUpload is gone', () => {
    const failed = operation('du-1', { phase: 'Failed', error: 'no space' });
    expect(completeVolumes([moved], [failed], [upload({ phase: 'Failed' })])[0]).toMatchObject({
      result: 'failed',
      snapshotDataMovementInfo: { Phase: 'Failed' },
    });
    expect(completeVolumes([moved], [failed], [])[0]).toMatchObject({
      result: 'failed',
      completionTimestamp: '2030-01-01T00:01:00Z',
      snapshotDataMovementInfo: { Phase: 'Failed' },
    });
  });

  it('sets ReadyToUse of a snapshot that stays in the cluster', () => {
    expect(completeVolumes([kept], [operation('shop/vs/t', {})], [])[0]).toMatchObject({
      result: 'succeeded',
      completionTimestamp: '2030-01-01T00:01:00Z',
      csiSnapshotInfo: { ReadyToUse: true, snapshotHandle: 'h' },
    });
    expect(completeVolumes([kept], [operation('shop/vs/t', { phase: 'Failed' })], [])[0]).toMatchObject({
      result: 'failed',
      csiSnapshotInfo: { ReadyToUse: false },
    });
  });

  it('changes nothing without an operation', () => {
    const skipped: BackupVolumeInfo = {
      pvName: 'x',
      snapshotDataMoved: false,
      preserveLocalSnapshot: false,
      skipped: true,
    };
    expect(completeVolumes([skipped, moved], [operation('other', {})], [])).toEqual([skipped, moved]);
  });
});
