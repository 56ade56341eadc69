import {
  type ConfigMap,
  configMapType,
  deploymentType,
  type KubeObject,
  type PersistentVolumeClaim,
  persistentVolumeClaimType,
  persistentVolumeType,
  type Restore,
  volumeGroupSnapshotContentType,
  volumeSnapshotContentType,
  volumeSnapshotType,
} from '@lateen/api-types';
import type { BackupVolumeInfo, RestoreOperation, RestoreVolumeInfo } from '@lateen/backup-store';
import {
  aDataDownload,
  aPersistentVolume,
  aPersistentVolumeClaim,
  aStorageClass,
  aVolumeSnapshot,
  aVolumeSnapshotContent,
  FakeClock,
  fakeCluster,
  letTimePass,
  recordingLog,
  seededRandom,
} from '@lateen/testing';
import { describe, expect, it } from 'vitest';
import { finalizeVolumes } from './finalize-volumes.ts';
import { takeVolumesBack } from './take-volumes-back.ts';
import type { VolumesToFinalize } from './volumes-to-finalize.ts';

const restore: Restore = {
  apiVersion: 'velero.io/v1',
  kind: 'Restore',
  metadata: {
    name: 'back',
    namespace: 'velero',
    uid: 'restore-uid',
    annotations: { 'lateen.dev/scale-workloads': 'true' },
  },
  spec: { namespaceMapping: { shop: 'app' } },
};
const signal = new AbortController().signal;

const info = (
  labels: Record<string, string> | null = { disk: 'fast' },
  reclaimPolicy = 'Retain',
): BackupVolumeInfo => ({
  pvcName: 'data',
  pvcNamespace: 'shop',
  backupMethod: 'CSISnapshot',
  snapshotDataMoved: true,
  preserveLocalSnapshot: false,
  skipped: false,
  pvInfo: { reclaimPolicy, labels },
});
const restored = (parts: Partial<RestoreVolumeInfo> = {}): RestoreVolumeInfo => ({
  pvcName: 'data',
  pvcNamespace: 'app',
  restoreMethod: 'CSISnapshot',
  snapshotDataMoved: true,
  snapshotDataMovementInfo: {
    dataMover: 'velero',
    uploaderType: 'kopia',
    snapshotHandle: 's',
    operationID: 'dd-1',
    size: 1,
    Phase: 'New',
  },
  ...parts,
});
const volume = aPersistentVolume({
  labels: { zone: 'a' },
  claim: { namespace: 'app', name: 'data', uid: 'claim-uid' },
});
const made = { uid: 'claim-uid', labels: { 'velero.io/restore-name': 'back' } };
const bound = aPersistentVolumeClaim({ ...made, volumeName: 'pv-data' });
const pending = aPersistentVolumeClaim(made);

function world(objects: readonly KubeObject[]) {
  const clock = new FakeClock();
  const cluster = fakeCluster({ clock, objects });
  const ports = { kube: cluster, clock, random: seededRandom(), log: recordingLog(), veleroNamespace: 'velero' };
  const finalize = (volumes: Partial<VolumesToFinalize> = {}) =>
    letTimePass(
      finalizeVolumes(
        ports,
        { restore, backedUp: [info()], restored: [restored()], operations: [], ...volumes },
        { timeoutMs: 600_000, signal },
      ),
      clock,
    );
  const volumeNow = () => cluster.find(persistentVolumeType, { name: 'pv-data' });
  return { cluster, clock, ports, finalize, volumeNow };
}

describe('the volume of a restored claim', () => {
  it('gets the labels and reclaim policy of the volume in the backup, and keeps its own labels', async () => {
    const { finalize, volumeNow } = world([bound, volume]);
    expect(await finalize()).toEqual([]);
    expect(volumeNow()?.metadata.labels).toEqual({ zone: 'a', disk: 'fast' });
    expect(volumeNow()?.spec.persistentVolumeReclaimPolicy).toBe('Retain');
  });

  it.each<[string, BackupVolumeInfo[], Partial<VolumesToFinalize>]>([
    ['has no labels and the default policy in the backup', [info(null, 'Delete')], {}],
    ['already has the labels', [info({ zone: 'a' }, '')], {}],
    ['has no volume info', [], {}],
    ['was kept as an existing volume', [info()], { restored: [] }],
    ['was restored from its own object', [info()], { restored: [restored({ restoreMethod: 'NativeSnapshot' })] }],
    ['did not get its data', [info()], { operations: [operation('Failed')] }],
  ])('is not written when it %s', async (_why, backedUp, volumes) => {
    const { finalize, cluster } = world([bound, volume]);
    expect(await finalize({ backedUp, ...volumes })).toEqual([]);
    expect(cluster.calls.filter(({ verb }) => verb === 'patch')).toEqual([]);
  });

  it('that the claim already had is left alone', async () => {
    const { finalize, cluster } = world([{ ...bound, metadata: { ...bound.metadata, labels: {} } }, volume]);
    expect(await finalize()).toEqual([]);
    expect(cluster.calls.filter(({ verb }) => verb === 'patch')).toEqual([]);
  });

  it('that belongs to another claim is left alone', async () => {
    const other = aPersistentVolume({ claim: { namespace: 'app', name: 'data', uid: 'another' } });
    const { finalize, volumeNow } = world([bound, other]);
    expect(await finalize()).toEqual([]);
    expect(volumeNow()?.metadata.labels).toBeUndefined();
  });

  it('is awaited until the claim is bound', async () => {
    const { finalize, volumeNow, cluster, clock } = world([pending, aStorageClass(), volume]);
    const ended = finalize();
    setImmediate(() => cluster.put(bound));
    await letTimePass(ended, clock);
    expect(volumeNow()?.metadata.labels).toMatchObject({ disk: 'fast' });
  });

  it('that is not bound in time is an error of the restore', async () => {
    const { finalize } = world([pending, aStorageClass()]);
    expect(await finalize()).toEqual([
      { namespace: 'app', message: expect.stringContaining('PVC app/data has no volume after 10') },
    ]);
  });

  it.each([
    ['is gone', []],
    ['waits for its first consumer', [pending, aStorageClass({ volumeBindingMode: 'WaitForFirstConsumer' })]],
  ])('is not awaited when the claim %s', async (_why, objects) => {
    const { finalize, clock } = world(objects);
    const from = clock.now();
    expect(await finalize()).toEqual([]);
    expect(clock.now() - from).toBeLessThan(600_000);
  });
});

const madeFor = (uid: string) => ({
  name: 'restored',
  labels: { 'velero.io/restore-name': 'back' },
  annotations: { 'lateen.dev/restored-for-claim': uid },
  spec: { source: { volumeSnapshotContentName: 'restored' } },
});
const content = aVolumeSnapshotContent({
  name: 'restored',
  spec: { deletionPolicy: 'Retain', volumeSnapshotRef: { namespace: 'app', name: 'restored' } },
});
const ofSnapshot = (claim: PersistentVolumeClaim): PersistentVolumeClaim => ({
  ...claim,
  spec: {
    ...claim.spec,
    dataSource: { apiGroup: 'snapshot.storage.k8s.io', kind: 'VolumeSnapshot', name: 'restored' },
  },
});
const snapshotsLeft = ({ cluster }: ReturnType<typeof world>) =>
  [...cluster.all(volumeSnapshotType), ...cluster.all(volumeSnapshotContentType)].map(({ kind }) => kind);

describe('the VolumeSnapshot of a claim', () => {
  it.each([
    ['is deleted with its content when the claim has its volume', 'restore-uid', bound, []],
    ['stays when it does not belong to this restore', 'another', bound, ['VolumeSnapshot', 'VolumeSnapshotContent']],
    ['stays while the claim has no volume', 'restore-uid', pending, ['VolumeSnapshot', 'VolumeSnapshotContent']],
  ])('%s', async (_title, uid, claim, left) => {
    const given = world([
      ofSnapshot(claim),
      volume,
      aVolumeSnapshot(madeFor(uid)),
      content,
      aStorageClass({ volumeBindingMode: 'WaitForFirstConsumer' }),
    ]);
    expect(await given.finalize()).toEqual([]);
    expect(snapshotsLeft(given)).toEqual(left);
  });

  it.each([
    ['is deleted when a restore is canceled before the claim exists', [], []],
    ['stays for an existing claim', [ofSnapshot(pending)], ['VolumeSnapshot', 'VolumeSnapshotContent']],
  ])('%s', async (_title, claims, left) => {
    const given = world([...claims, aVolumeSnapshot(madeFor('restore-uid')), content]);
    await letTimePass(takeVolumesBack(given.ports, restore, signal), given.clock);
    expect(snapshotsLeft(given)).toEqual(left);
    await letTimePass(takeVolumesBack(given.ports, restore, signal), given.clock);
  });

  it('that a user created stays when a restore is canceled', async () => {
    const users = aVolumeSnapshot({ ...madeFor(''), annotations: {} });
    const given = world([users, content]);
    await letTimePass(takeVolumesBack(given.ports, restore, signal), given.clock);
    expect(snapshotsLeft(given)).toEqual(['VolumeSnapshot', 'VolumeSnapshotContent']);
  });
});

it('deletes the objects that the restore created for its own work, and no others', async () => {
  const labels = { 'velero.io/restore-uid': 'restore-uid', 'velero.io/resource-usage': 'DataUpload' };
  const result = (name: string, own: Record<string, string>): ConfigMap => ({
    apiVersion: 'v1',
    kind: 'ConfigMap',
    metadata: { name, namespace: 'velero', labels: own },
  });
  const stub = (name: string, uid: string): KubeObject => ({
    apiVersion: 'groupsnapshot.storage.k8s.io/v1beta2',
    kind: 'VolumeGroupSnapshotContent',
    metadata: { name, labels: { 'velero.io/restore-uid': uid } },
  });
  const { finalize, cluster } = world([
    result('own', labels),
    result('other', { ...labels, 'velero.io/restore-uid': 'other' }),
    result('users', { 'velero.io/restore-uid': 'restore-uid' }),
    stub('stub', 'restore-uid'),
    stub('others', 'other'),
  ]);
  await finalize({ restored: [] });
  expect(cluster.all(configMapType, 'velero').map(({ metadata }) => metadata.name)).toEqual(['other', 'users']);
  expect(cluster.all(volumeGroupSnapshotContentType).map(({ metadata }) => metadata.name)).toEqual(['others']);
  expect(cluster.all(persistentVolumeClaimType)).toEqual([]);
});

function operation(phase: 'Failed' | 'Completed'): RestoreOperation {
  return {
    spec: { restoreName: 'back', restoreUID: 'restore-uid', restoreItemAction: 'a', operationID: 'dd-1' },
    status: { phase },
  } as RestoreOperation;
}

describe('workloads that were scaled down', () => {
  const deployment = (name: string, uid: string): KubeObject =>
    ({
      apiVersion: 'apps/v1',
      kind: 'Deployment',
      metadata: { namespace: 'app', name, annotations: { 'lateen.dev/scaled-down': `${uid}/2` } },
      spec: { replicas: 0 },
    }) as unknown as KubeObject;
  const download = (name: string, phase: 'Completed' | 'Failed', restoreType = 'full') =>
    aDataDownload({ name, phase, labels: { 'velero.io/restore-uid': 'restore-uid' }, spec: { restoreType } });
  const replicas = ({ cluster }: ReturnType<typeof world>) =>
    cluster.all(deploymentType).map(({ metadata, spec }) => [metadata.name, spec.replicas]);

  it('are scaled up when their volumes are complete, and those of another restore are not', async () => {
    const given = world([deployment('db', 'restore-uid'), deployment('other', 'x'), download('a', 'Completed')]);
    expect(await given.finalize({ restored: [] })).toEqual([]);
    expect(replicas(given)).toEqual([
      ['db', 2],
      ['other', 0],
    ]);
  });

  it('are scaled up when nothing was written because the old data could not be snapshotted', async () => {
    const given = world([deployment('db', 'restore-uid')]);
    expect(await given.finalize({ restored: [] })).toEqual([]);
    expect(replicas(given)).toEqual([['db', 2]]);
  });

  it('cause one error each, though their ReplicaSets have the annotation, too', async () => {
    const { metadata } = deployment('db', 'restore-uid');
    const held = [{ apiVersion: 'apps/v1', kind: 'Deployment', name: 'db', uid: 'db-uid', controller: true }];
    const set = {
      ...deployment('db', 'restore-uid'),
      kind: 'ReplicaSet',
      metadata: { ...metadata, name: 'db-1', ownerReferences: held },
    };
    const given = world([deployment('db', 'restore-uid'), set, download('a', 'Failed')]);
    expect(await given.finalize({ restored: [] })).toHaveLength(1);
  });

  it('stay scaled down when a volume is incomplete, and the restore reports it', async () => {
    const given = world([deployment('db', 'restore-uid'), download('a', 'Completed'), download('b', 'Failed')]);
    expect(await given.finalize({ restored: [] })).toEqual([
      { namespace: 'app', message: expect.stringContaining('Deployment app/db stays scaled down') },
    ]);
    expect(replicas(given)).toEqual([['db', 0]]);
  });

  it.each([
    [
      'stay scaled down when one claim was written and another one could not be restored',
      [download('a', 'Completed')],
      0,
    ],
    ['are scaled up when no claim was written', [], 2],
  ])('%s', async (_, downloads, expected) => {
    const given = world([deployment('db', 'restore-uid'), ...downloads]);
    const failedClaims = [{ namespace: 'app', name: 'b' }];
    const problems = await given.finalize({ restored: [], failedClaims });
    expect(replicas(given)).toEqual([['db', expected]]);
    expect(problems.map(({ message }) => message.includes('the data of PVC b is not whole'))).toEqual(
      expected === 0 ? [true] : [],
    );
  });
});
