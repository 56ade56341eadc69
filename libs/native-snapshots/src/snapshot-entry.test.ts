import type { NativeSnapshot } from '@lateen/backup-store';
import { expect, it } from 'vitest';
import { nativeVolumeInfo, newSnapshotEntry, snapshotTags } from './snapshot-entry.ts';

const backup = { metadata: { name: 'b', uid: 'uid-b', labels: { team: 'shop', 'velero.io/pv': 'not this' } } };
const subject = { backup, volume: 'pv-1', location: 'ebs', volumeID: 'vol-1' };

it('an entry describes the source of a snapshot, and omits unknown fields', () => {
  expect(newSnapshotEntry({ ...subject, zone: 'eu-1a', info: { type: 'gp3', iops: 0 } })).toEqual({
    spec: {
      backupName: 'b',
      backupUID: 'uid-b',
      location: 'ebs',
      persistentVolumeName: 'pv-1',
      providerVolumeID: 'vol-1',
      volumeType: 'gp3',
      volumeAZ: 'eu-1a',
      volumeIOPS: 0,
    },
    status: { phase: 'New' },
  });
  expect(Object.keys(newSnapshotEntry({ ...subject, zone: '', info: { type: '' } }).spec)).toEqual([
    'backupName',
    'backupUID',
    'location',
    'persistentVolumeName',
    'providerVolumeID',
    'volumeType',
  ]);
});

it('tags are the labels of the backup plus its names, which no label overrides', () => {
  expect(snapshotTags(backup, 'pv-1')).toEqual({ team: 'shop', 'velero.io/backup': 'b', 'velero.io/pv': 'pv-1' });
  expect(snapshotTags({ metadata: {} }, 'pv-1')).toEqual({ 'velero.io/backup': '', 'velero.io/pv': 'pv-1' });
});

it.each<[NativeSnapshot['status'], 'succeeded' | 'failed']>([
  [{ phase: 'Completed', providerSnapshotID: 'snap-1' }, 'succeeded'],
  [{ phase: 'Failed' }, 'failed'],
  [{ phase: 'New' }, 'failed'],
])('the volume info of a snapshot in state %j', (status, result) => {
  const { spec } = newSnapshotEntry({ ...subject, zone: 'z', info: { type: 'gp3' } });
  expect(nativeVolumeInfo({ spec, status })).toEqual({
    backupMethod: 'NativeSnapshot',
    snapshotDataMoved: false,
    preserveLocalSnapshot: false,
    skipped: false,
    result,
    nativeSnapshotInfo: {
      snapshotHandle: status.providerSnapshotID ?? '',
      volumeType: 'gp3',
      volumeAZ: 'z',
      iops: '0',
      Phase: status.phase,
    },
  });
});
