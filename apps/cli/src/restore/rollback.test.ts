import {
  type KubeObject,
  type PersistentVolumeClaim,
  persistentVolumeClaimType,
  podType,
  type Restore,
  type RestorePhase,
} from '@lateen/api-types';
import {
  aNamespace,
  aPersistentVolumeClaim,
  aPod,
  aVolumeSnapshot,
  FakeClock,
  fakeCluster,
  seededRandom,
} from '@lateen/testing';
import { describe, expect, it } from 'vitest';
import { runForTests } from '../run-for-tests.ts';

const restore = (phase: RestorePhase = 'PartiallyFailed'): Restore => ({
  apiVersion: 'velero.io/v1',
  kind: 'Restore',
  metadata: { name: 'back', namespace: 'velero', uid: 'restore-uid' },
  spec: {},
  status: { phase },
});
const before: PersistentVolumeClaim = {
  apiVersion: 'v1',
  kind: 'PersistentVolumeClaim',
  metadata: { namespace: 'app', name: 'data' },
  spec: { accessModes: ['ReadWriteOnce'], resources: { requests: { storage: '1Gi' } } },
};
const oldData = aVolumeSnapshot({
  name: 'old-data',
  labels: { 'lateen.dev/old-data-of': 'restore-uid' },
  annotations: { 'lateen.dev/old-claim': JSON.stringify(before) },
});
const user = aPod({
  namespace: 'app',
  name: 'db-0',
  spec: { volumes: [{ name: 'v', persistentVolumeClaim: { claimName: 'data' } }] },
});

function setUp(...objects: KubeObject[]) {
  const clock = new FakeClock();
  const cluster = fakeCluster({
    clock,
    objects: [aNamespace({ name: 'app' }), aPersistentVolumeClaim({}), ...objects],
  });
  const world = { clock, random: seededRandom(), kube: cluster };
  const run = (words: string, options: Parameters<typeof runForTests>[2] = {}) =>
    runForTests(world, ['restore', 'rollback', ...words.split(' ')], options);
  const source = () =>
    cluster.find<PersistentVolumeClaim>(persistentVolumeClaimType, { namespace: 'app', name: 'data' })?.spec.dataSource
      ?.name;
  return { cluster, run, source };
}

describe('lateen restore rollback', () => {
  it('creates claims again from their snapshots, and reports it; repeating it does no harm', async () => {
    const { run, source } = setUp(restore(), oldData);
    expect(await run('back --confirm')).toMatchObject({
      code: 0,
      stdout:
        'persistentvolumeclaim app/data is created again from VolumeSnapshot old-data\nRestore "back" is rolled back.\n',
      stderr: '',
    });
    expect(source()).toBe('old-data');
    expect((await run('back --confirm')).stdout).toBe(
      'persistentvolumeclaim app/data is that of VolumeSnapshot old-data already\nRestore "back" is rolled back.\n',
    );
  });

  it('asks first, and does nothing without a yes', async () => {
    const { run, source } = setUp(restore(), oldData);
    expect(await run('back', { answer: 'n' })).toMatchObject({
      code: 1,
      asked: ['Roll back the volumes that restore "back" wrote into? What they have now is lost. (y/N) '],
      stderr: 'An error occurred: nothing was rolled back. Answer y, or give --confirm.\n',
    });
    expect((await run('back')).code).toBe(1);
    expect(source()).toBeUndefined();
  });

  it.each<[string, KubeObject[], string]>([
    ['that is not there', [], 'restores.velero.io "back" not found'],
    ['that runs', [restore('InProgress'), oldData], 'restore "back" has not ended'],
    ['that wrote into nothing', [restore()], 'wrote into no volume whose old data it kept'],
    ['whose volume is in use', [restore(), oldData, user], 'PVC app/data is used by pod db-0'],
  ])('reports why it cannot roll back one %s', async (_, objects, why) => {
    const { run, source, cluster } = setUp(...objects);
    const { code, stderr } = await run('back --confirm');
    expect(code).toBe(1);
    expect(stderr).toContain(why.replaceAll('"back"', stderr.includes('"back"') ? '"back"' : 'back'));
    expect(source()).toBeUndefined();
    expect(cluster.all(podType).length).toBe(objects.includes(user) ? 1 : 0);
  });
});
