import { type PodVolumeBackup, podType, podVolumeBackupType } from '@lateen/api-types';
import { FakeClock, fakeCluster, letWorkRun, recordingLog, seededRandom } from '@lateen/testing';
import { expect, it } from 'vitest';
import type { RecordedItem } from '../items/item-record.ts';
import { EndInTime } from './end-in-time.ts';
import { FollowedVolumes } from './followed-volumes.ts';

const signal = new AbortController().signal;
const pod = { type: podType, namespace: 'shop', name: 'db' } as unknown as RecordedItem;

const order = (volume: string): PodVolumeBackup => ({
  apiVersion: 'velero.io/v1',
  kind: 'PodVolumeBackup',
  metadata: { name: volume, namespace: 'velero', labels: { 'velero.io/backup-uid': 'b' } },
  spec: {
    node: 'n1',
    volume,
    pod: { kind: 'Pod', namespace: 'shop', name: 'db' },
    backupStorageLocation: 'default',
    repoIdentifier: '',
  },
});

it('also cancels a PodVolumeBackup that is created after the timeout, and logs the timeout once', async () => {
  const clock = new FakeClock();
  const kube = fakeCluster({ clock });
  const log = recordingLog();
  const ports = { kube, clock, log, random: seededRandom() };
  const followed = new FollowedVolumes({ ...ports, veleroNamespace: 'velero', backupUid: 'b', onEnd: () => {} });
  const inTime = new EndInTime({ ...ports, followed, timeout: '1h' });
  const make = async (volume: string) =>
    followed.add(await kube.create(podVolumeBackupType, order(volume), { namespace: 'velero', signal }), pod);
  const cancelled = () => kube.all(podVolumeBackupType).flatMap(({ spec }) => (spec.cancel ? [spec.volume] : []));
  const pass = async (ms: number) => {
    await letWorkRun();
    await clock.advance(ms);
    await letWorkRun();
  };
  await followed.begin(1_000, signal);
  inTime.begin();
  await make('wal');
  const held = inTime.untilEnded(({ object }) => object.spec.volume === 'wal', signal);
  await pass(3_600_000);
  expect(cancelled()).toEqual(['wal']);
  await make('late');
  const all = inTime.untilEnded(() => true, signal);
  await pass(1_000);
  expect(cancelled().sort()).toEqual(['late', 'wal']);
  expect(log.messages('error')).toEqual(['timed out waiting for all PodVolumeBackups to complete']);
  await pass(600_000);
  await Promise.all([held, all]);
  await followed.stop();
});
