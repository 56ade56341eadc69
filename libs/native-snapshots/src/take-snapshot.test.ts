import type { Backup, Unstructured, VolumeSnapshotLocation } from '@lateen/api-types';
import type { NativeSnapshot } from '@lateen/backup-store';
import { AppError, describeError } from '@lateen/errors';
import { aPersistentVolume, FakeClock, fakeCluster, letWorkRun } from '@lateen/testing';
import { expect, it } from 'vitest';
import { ModelCloud, ModelCredentialFiles, type ScriptedModelFault } from './model/model-cloud.ts';
import { OpenSnapshotters } from './open-snapshotters.ts';
import { takeNativeSnapshot } from './take-snapshot.ts';
import { answerGraceMs } from './until-answered.ts';

const never = new AbortController().signal;

const backup: Backup = {
  apiVersion: 'velero.io/v1',
  kind: 'Backup',
  metadata: { name: 'b', uid: 'uid-b', namespace: 'velero', labels: { team: 'shop' } },
  spec: {},
};

const aLocation = (name: string, provider = 'model', region = 'eu'): VolumeSnapshotLocation => ({
  apiVersion: 'velero.io/v1',
  kind: 'VolumeSnapshotLocation',
  metadata: { name, namespace: 'velero' },
  spec: { provider, ...(region === '' ? {} : { config: { region } }) },
});

const aVolume = (volumeID?: string): Unstructured => {
  const { csi: _, ...spec } = aPersistentVolume({}).spec;
  const disk = volumeID === undefined ? { nfs: { server: 's', path: '/' } } : { awsElasticBlockStore: { volumeID } };
  return {
    apiVersion: 'v1',
    kind: 'PersistentVolume',
    metadata: { name: 'pv-1', labels: { 'topology.kubernetes.io/zone': 'eu-1a' } },
    spec: { ...spec, ...disk },
  };
};

function setUp(faults: readonly ScriptedModelFault[] = []) {
  const cloud = new ModelCloud();
  cloud.volumes.set('vol-1', { type: 'gp3', zone: 'eu-1a', iops: 3_000, content: 'orders' });
  cloud.add(...faults);
  const clock = new FakeClock();
  const open = new OpenSnapshotters({
    kube: fakeCluster({ clock }),
    namespace: 'velero',
    snapshotters: cloud,
    credentialFiles: new ModelCredentialFiles(),
  });
  const written: NativeSnapshot[] = [];
  const record = {
    begin: async (entry: NativeSnapshot) => void written.push(entry),
    end: (_: NativeSnapshot, entry: NativeSnapshot) => void written.push(entry),
  };
  const take = (volume: Unstructured, locations = [aLocation('ebs')], signal = never) =>
    takeNativeSnapshot({ clock, open, record }, { backup, locations, volume }, signal);
  return { cloud, clock, written, record, take };
}

it('takes a snapshot with zone and tags, and records it before and after', async () => {
  const { cloud, written, take } = setUp();
  const { entry, error } = await take(aVolume('vol-1'));
  expect(error).toBeUndefined();
  expect(entry).toEqual({
    spec: {
      backupName: 'b',
      backupUID: 'uid-b',
      location: 'ebs',
      persistentVolumeName: 'pv-1',
      providerVolumeID: 'vol-1',
      volumeType: 'gp3',
      volumeAZ: 'eu-1a',
      volumeIOPS: 3_000,
    },
    status: { phase: 'Completed', providerSnapshotID: 'snap-made-1' },
  });
  expect(written.map(({ status }) => status.phase)).toEqual(['New', 'Completed']);
  expect(cloud.snapshots.get('snap-made-1')).toEqual({
    type: 'gp3',
    zone: 'eu-1a',
    iops: 3_000,
    content: 'orders',
    tags: { team: 'shop', 'velero.io/backup': 'b', 'velero.io/pv': 'pv-1' },
  });
});

it('tries locations in order, and skips unavailable ones when another one knows the volume', async () => {
  const { take } = setUp();
  const locations = [aLocation('gone', 'azure'), aLocation('broken', 'model', ''), aLocation('ebs')];
  expect(await take(aVolume('vol-1'), locations)).toMatchObject({ entry: { spec: { location: 'ebs' } } });
});

it('reports why a volume that no plugin knows has no snapshot', async () => {
  const { written, take } = setUp();
  expect(await take(aVolume())).toEqual({ missing: [] });
  const gone = await take(aVolume(), [aLocation('gone', 'azure'), aLocation('ebs')]);
  expect(gone).toMatchObject({ missing: [{ message: 'no plugin offers provider azure' }] });
  const { error } = await take(aVolume(), [aLocation('broken', 'model', ''), aLocation('ebs')]);
  expect(describeError(error)).toContain(
    'it is not known whether VolumeSnapshotLocation broken has a snapshot for PersistentVolume pv-1: VolumeSnapshotLocation broken cannot be used by the plugin of provider model: config has no region',
  );
  expect(written).toEqual([]);
});

const refused = new AppError('PLUGIN_SAID', 'the quota is used up');
const failed = 'no native snapshot of PersistentVolume pv-1, volume vol-1 of VolumeSnapshotLocation ebs: ';

it.each<[string, ScriptedModelFault, string, (string | undefined)[]]>([
  ['refused', { on: 'createSnapshot', fault: { fail: refused } }, `${failed}the quota is used up`, ['New', 'Failed']],
  ['not described', { on: 'getVolumeInfo', fault: { fail: refused } }, `${failed}the quota is used up`, []],
  [
    'taken with a lost response',
    { on: 'createSnapshot', fault: { loseAnswer: true } },
    `${failed}the answer to createSnapshot of vol-1 was lost. One may exist anyway: look at the provider for tags velero.io/backup=b and velero.io/pv=pv-1, and delete it.`,
    ['New', 'Failed'],
  ],
])('a snapshot that is %s is an error and an entry without an ID', async (_, fault, message, phases) => {
  const { written, take } = setUp([fault]);
  const { entry, error } = await take(aVolume('vol-1'));
  expect(entry).toMatchObject({ spec: { providerVolumeID: 'vol-1' }, status: { phase: 'Failed' } });
  expect(entry?.status).not.toHaveProperty('providerSnapshotID');
  expect(describeError(error)).toBe(message);
  expect(written.map(({ status }) => status.phase)).toEqual(phases);
});

it('takes no snapshot that cannot be recorded', async () => {
  const { cloud, record, take } = setUp();
  record.begin = async () => {
    throw new AppError('STORE_FULL', 'the bucket takes nothing more');
  };
  const { error } = await take(aVolume('vol-1'));
  expect(describeError(error)).toBe(`${failed}the bucket takes nothing more`);
  expect(cloud.calls.map(({ call }) => call)).not.toContain('createSnapshot');
});

/** A snapshot whose response is pending when the backup is cancelled. */
async function aborted(faults: readonly ScriptedModelFault[] = []) {
  const world = setUp(faults);
  const stop = new AbortController();
  const answer = Promise.withResolvers<void>();
  if (faults.length === 0) {
    const { snapshotterFor } = world.cloud;
    world.cloud.snapshotterFor = async (provider) => {
      const made = await snapshotterFor.call(world.cloud, provider);
      const createSnapshot: typeof made.createSnapshot = async (...args) => {
        const id = await made.createSnapshot(...args);
        await answer.promise;
        return id;
      };
      return { ...made, createSnapshot };
    };
  }
  const ending = expect(world.take(aVolume('vol-1'), undefined, stop.signal)).rejects.toThrow('it is cancelled');
  await letWorkRun();
  stop.abort(new Error('it is cancelled'));
  return { ...world, ending, answer };
}

it('awaits a pending response when the backup is cancelled, so that the snapshot can be deleted', async () => {
  const { ending, answer, written } = await aborted();
  answer.resolve();
  await ending;
  expect(written.at(-1)?.status).toEqual({ phase: 'Completed', providerSnapshotID: 'snap-made-1' });
});

it('awaits a missing response for a limited time, and keeps the record of the started snapshot', async () => {
  const { ending, clock, written } = await aborted([{ on: 'createSnapshot', fault: { hang: true } }]);
  await clock.advance(answerGraceMs);
  await ending;
  expect(written.map(({ status }) => status.phase)).toEqual(['New']);
});
