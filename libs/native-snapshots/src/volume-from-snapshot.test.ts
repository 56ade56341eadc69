import type { Unstructured, VolumeSnapshotLocation } from '@lateen/api-types';
import type { NativeSnapshot } from '@lateen/backup-store';
import { AppError, describeError } from '@lateen/errors';
import { FakeClock, fakeCluster, letWorkRun, recordingLog } from '@lateen/testing';
import { expect, it } from 'vitest';
import { ModelCloud, ModelCredentialFiles, type ScriptedModelFault } from './model/model-cloud.ts';
import { OpenSnapshotters } from './open-snapshotters.ts';
import { answerGraceMs } from './until-answered.ts';
import { volumeFromSnapshot } from './volume-from-snapshot.ts';

const location: VolumeSnapshotLocation = {
  apiVersion: 'velero.io/v1',
  kind: 'VolumeSnapshotLocation',
  metadata: { name: 'ebs', namespace: 'velero' },
  spec: { provider: 'model', config: { region: 'eu' } },
};

const snapshot: NativeSnapshot = {
  spec: {
    backupName: 'b',
    backupUID: 'u',
    location: 'ebs',
    persistentVolumeName: 'pv-1',
    providerVolumeID: 'vol-1',
    volumeType: 'gp3',
    volumeAZ: 'eu-1a',
    volumeIOPS: 3_000,
  },
  status: { phase: 'Completed', providerSnapshotID: 'snap-1' },
};

const volume: Unstructured = {
  apiVersion: 'v1',
  kind: 'PersistentVolume',
  metadata: { name: 'pv-1' },
  spec: { awsElasticBlockStore: { volumeID: 'vol-1', fsType: 'ext4' }, unknown: { kept: '1.0' } },
};

function setUp(...faults: ScriptedModelFault[]) {
  const cloud = new ModelCloud();
  cloud.snapshots.set('snap-1', { type: 'gp2', zone: 'eu-1a', content: 'orders', tags: {} });
  cloud.add(...faults);
  const clock = new FakeClock();
  const log = recordingLog();
  const stop = new AbortController();
  const open = new OpenSnapshotters({
    kube: fakeCluster({ clock, objects: [location] }),
    namespace: 'velero',
    snapshotters: cloud,
    credentialFiles: new ModelCredentialFiles(),
  });
  const make = () => volumeFromSnapshot({ clock, log, open }, snapshot, volume, stop.signal);
  return { cloud, clock, log, stop, make };
}

it('creates a volume with type, zone and IOPS of the backed-up one, and changes only its ID', async () => {
  const { cloud, make } = setUp();
  expect(await make()).toEqual({
    volumeID: 'vol-made-1',
    volume: {
      ...volume,
      spec: { awsElasticBlockStore: { volumeID: 'vol-made-1', fsType: 'ext4' }, unknown: { kept: '1.0' } },
    },
  });
  expect(cloud.volumes.get('vol-made-1')).toEqual({ type: 'gp3', zone: 'eu-1a', iops: 3_000, content: 'orders' });
});

const failed =
  'no volume for PersistentVolume pv-1 could be made of native snapshot snap-1 in VolumeSnapshotLocation ebs: ';
const refused = new AppError('PLUGIN_SAID', 'the quota is used up');

it.each<[string, ScriptedModelFault, string]>([
  ['is refused', { on: 'createVolumeFromSnapshot', fault: { fail: refused } }, `${failed}the quota is used up`],
  [
    'is created with a lost response',
    { on: 'createVolumeFromSnapshot', fault: { loseAnswer: true } },
    `${failed}the answer to createVolumeFromSnapshot of snap-1 was lost. One may exist anyway: look at the provider for a volume of snapshot snap-1.`,
  ],
  [
    'is created but not supported as a PersistentVolume',
    { on: 'setVolumeID', fault: { fail: refused } },
    `${failed}the quota is used up. Volume vol-made-1 was made: delete it at the provider.`,
  ],
])('a volume that %s is an error that says what may exist', async (_, fault, message) => {
  const error = await setUp(fault).make().catch(describeError);
  expect(error).toBe(message);
});

it('logs a volume that is created while the restore is cancelled', async () => {
  const { cloud, log, stop, make } = setUp();
  const snapshotterFor = cloud.snapshotterFor.bind(cloud);
  cloud.snapshotterFor = async (provider) => {
    const made = await snapshotterFor(provider);
    const createVolumeFromSnapshot: typeof made.createVolumeFromSnapshot = async (...args) => {
      stop.abort(new Error('it is cancelled'));
      return await made.createVolumeFromSnapshot(...args);
    };
    return { ...made, createVolumeFromSnapshot };
  };
  await expect(make()).rejects.toThrow('it is cancelled');
  expect(log.lines).toMatchObject([
    { level: 'warn', fields: { reason: expect.stringContaining('volume vol-made-1 of snapshot snap-1') } },
  ]);
});

it('aborts a hanging call some time after the restore', async () => {
  const { clock, stop, make } = setUp({ on: 'createVolumeFromSnapshot', fault: { hang: true } });
  const ending = expect(make()).rejects.toThrow('it is cancelled');
  await letWorkRun();
  stop.abort(new Error('it is cancelled'));
  await clock.advance(answerGraceMs);
  await ending;
});
