import type { VolumeSnapshotLocation } from '@lateen/api-types';
import type { NativeSnapshot } from '@lateen/backup-store';
import { AppError } from '@lateen/errors';
import { FakeClock, fakeCluster, letTimePass, recordingLog, seededRandom } from '@lateen/testing';
import { expect, it } from 'vitest';
import { deleteNativeSnapshots, deleteSnapshotsLimits, isBeyondReach, snapshotsLeftText } from './delete-snapshots.ts';
import { ModelCloud, ModelCredentialFiles } from './model/model-cloud.ts';

const aLocation = (name: string, provider: string): VolumeSnapshotLocation => ({
  apiVersion: 'velero.io/v1',
  kind: 'VolumeSnapshotLocation',
  metadata: { name, namespace: 'velero' },
  spec: { provider, config: { region: 'eu' } },
});

const aSnapshot = (id: string | undefined, location = 'ebs'): NativeSnapshot => ({
  spec: {
    backupName: 'b',
    backupUID: 'u',
    location,
    persistentVolumeName: `pv-of-${id}`,
    providerVolumeID: 'vol-1',
    volumeType: 'gp3',
  },
  status: id === undefined ? { phase: 'Failed' } : { phase: 'Completed', providerSnapshotID: id },
});

function setUp(ids: readonly string[] = ['s1', 's2', 's3']) {
  const cloud = new ModelCloud();
  for (const id of ids) cloud.snapshots.set(id, { type: 'gp3', zone: 'a', content: '', tags: {} });
  const clock = new FakeClock();
  const kube = fakeCluster({ clock, objects: [aLocation('ebs', 'model'), aLocation('disks', 'azure')] });
  const remove = (snapshots: readonly NativeSnapshot[]) =>
    letTimePass(
      deleteNativeSnapshots(
        {
          kube,
          namespace: 'velero',
          clock,
          random: seededRandom(1),
          log: recordingLog(),
          snapshotters: cloud,
          credentialFiles: new ModelCredentialFiles(),
        },
        snapshots,
        new AbortController().signal,
      ),
      clock,
    );
  return { cloud, remove };
}

it('deletes all snapshots with an ID, and treats missing ones as deleted', async () => {
  const { cloud, remove } = setUp(['s1', 's2']);
  const all = ['s1', 's2', 'gone', undefined].map((id) => aSnapshot(id));
  expect(await remove(all)).toEqual([]);
  expect([...cloud.snapshots.keys()]).toEqual([]);
  expect(cloud.calls.filter(({ call }) => call === 'deleteSnapshot').map(({ about }) => about)).toEqual([
    's1',
    's2',
    'gone',
  ]);
  expect(cloud.open).toBe(0);
});

it('opens no plugin when there is nothing to delete', async () => {
  const { cloud, remove } = setUp([]);
  expect(await remove([aSnapshot(undefined, 'nowhere')])).toEqual([]);
  expect(cloud.calls).toEqual([]);
});

it('continues after a location that cannot be opened, and reports the reason', async () => {
  const { cloud, remove } = setUp();
  const [lost, foreign, ours] = [aSnapshot('s1', 'gone'), aSnapshot('s2', 'disks'), aSnapshot('s3')];
  const left = await remove([lost, foreign, ours]);
  expect(left.map(({ snapshot }) => snapshot)).toEqual([lost, foreign]);
  expect(left.every(isBeyondReach)).toBe(true);
  expect(snapshotsLeftText(left)).toEqual([
    expect.stringContaining(
      'error deleting snapshot s1 of volume pv-of-s1: error getting volume snapshot location gone: it does not exist. Create',
    ),
    expect.stringContaining(
      'error deleting snapshot s2 of volume pv-of-s2: no plugin offers provider azure. Add a plugin',
    ),
  ]);
  expect([...cloud.snapshots.keys()]).toEqual(['s1', 's2']);
});

it('retries temporary errors, a limited number of times', async () => {
  const { cloud, remove } = setUp(['s1']);
  cloud.add({ on: 'deleteSnapshot', times: 2, fault: { loseAnswer: true } });
  expect(await remove([aSnapshot('s1')])).toEqual([]);
  const busy = new AppError('PLUGIN_SAID', 'too many requests', { retry: 'later' });
  cloud.add({ on: 'deleteSnapshot', times: 9, fault: { fail: busy } });
  cloud.calls.length = 0;
  const left = await remove([aSnapshot('s1')]);
  expect(snapshotsLeftText(left)).toEqual(['error deleting snapshot s1 of volume pv-of-s1: too many requests']);
  expect(left.some(isBeyondReach)).toBe(false);
  expect(cloud.calls.filter(({ call }) => call === 'deleteSnapshot')).toHaveLength(deleteSnapshotsLimits.attemptsMax);
});

it('counts errors above the reported ones', async () => {
  const { remove } = setUp([]);
  const left = await remove(Array.from({ length: 23 }, (_, at) => aSnapshot(`s${at}`, 'gone')));
  const errors = snapshotsLeftText(left);
  expect([left.length, errors.length, errors.at(-1)]).toEqual([23, 21, '3 more snapshots were not deleted']);
});
