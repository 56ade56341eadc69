import {
  backupStorageLocationType,
  namespaceType,
  type PersistentVolumeClaim,
  type Pod,
  type PodVolumeBackup,
  type PodVolumeRestore,
  persistentVolumeClaimType,
  persistentVolumeType,
  podType,
  podVolumeRestoreType,
  restoreType,
} from '@lateen/api-types';
import { backupStore } from '@lateen/backup-store';
import { builtInActions } from '@lateen/item-actions';
import { keyOf } from '@lateen/kube';
import { restoreItems } from '@lateen/restore';
import { aNamespace, aPersistentVolume, aPersistentVolumeClaim, aPod, aStorageClass } from '@lateen/testing';
import { describe, expect, it } from 'vitest';
import { type Mortality, mortalKube } from '../world/mortal-kube.ts';
import type { RestoreControllerWorld } from './controller-world.ts';
import { restoreControllerWorlds } from './controller-worlds.ts';

const worlds = restoreControllerWorlds();

const podVolumeBackup = (pod: string, volume: string): PodVolumeBackup => ({
  apiVersion: 'velero.io/v1',
  kind: 'PodVolumeBackup',
  metadata: { namespace: 'velero', name: `nightly-${pod}-${volume}`, labels: { 'velero.io/backup-name': 'nightly' } },
  spec: {
    node: 'n1',
    volume,
    pod: { kind: 'Pod', namespace: 'shop', name: pod },
    backupStorageLocation: 'that of the other cluster',
    repoIdentifier: '',
    uploaderType: 'kopia',
  },
  status: { phase: 'Completed', snapshotID: `id-of-${pod}-${volume}`, progress: { totalBytes: 100, bytesDone: 100 } },
});

/** What becomes of a PodVolumeRestore, as its node-agent writes it. */
type Agent = (restore: PodVolumeRestore) => PodVolumeRestore['status'] | undefined;

const completes: Agent = () => ({ phase: 'Completed', node: 'n1', progress: { totalBytes: 100, bytesDone: 100 } });

/** Plays the node-agents and the provisioner: a PodVolumeRestore that has not ended ends as `agent` says; one that is to be cancelled is. */
function play(world: RestoreControllerWorld, agent: { act: Agent }): void {
  const bind = (): boolean => {
    const claim = world.cluster.all(persistentVolumeClaimType, 'shop').find(({ spec }) => !spec.volumeName);
    if (claim === undefined) return false;
    const { namespace = '', name = '', uid = '' } = claim.metadata;
    world.cluster.put(aPersistentVolume({ name: `new-${name}`, claim: { namespace, name, uid } }));
    world.cluster.change<PersistentVolumeClaim>(persistentVolumeClaimType, { namespace, name }, (object) => {
      object.spec = { ...object.spec, volumeName: `new-${name}` };
      object.status = { ...object.status, phase: 'Bound' };
    });
    return true;
  };
  const step = (): boolean => {
    const open = world.cluster
      .all(podVolumeRestoreType)
      .filter(
        ({ status }) => status?.phase !== 'Completed' && status?.phase !== 'Failed' && status?.phase !== 'Canceled',
      );
    for (const each of open) {
      const status = each.spec.cancel === true ? ({ phase: 'Canceled' } as const) : agent.act(each);
      if (status === undefined || status.phase === each.status?.phase) continue;
      world.cluster.change<PodVolumeRestore>(podVolumeRestoreType, keyOf(each), (object) => {
        object.status = { ...object.status, ...status };
      });
      return true;
    }
    return false;
  };
  world.cluster.intercept(async (call, next) => {
    try {
      return await next();
    } finally {
      if (!['get', 'list', 'watch'].includes(call.verb)) while ([bind(), step()].includes(true));
    }
  });
}

const mount = (name: string) => ({ name, mountPath: `/${name}` });

/** Two pods: one with a claim and an emptyDir, one with an emptyDir, all backed up through the file system; then they are lost. */
async function lost(agent: { act: Agent } = { act: completes }) {
  const world = worlds.empty({
    engine: { restoreItems },
    restoreActions: builtInActions({ csi: true, podVolumes: { image: async () => 'lateen:1' } }).restore,
    objects: [
      aNamespace({ name: 'shop' }),
      aStorageClass(),
      aPod({
        name: 'db-0',
        namespace: 'shop',
        phase: 'Running',
        spec: {
          containers: [{ name: 'db', volumeMounts: [mount('data'), mount('cache')] }],
          volumes: [
            { name: 'data', persistentVolumeClaim: { claimName: 'data-db-0' } },
            { name: 'cache', emptyDir: {} },
          ],
        },
      }),
      aPod({
        name: 'web',
        namespace: 'shop',
        phase: 'Running',
        spec: {
          containers: [{ name: 'web', volumeMounts: [mount('files')] }],
          volumes: [{ name: 'files', emptyDir: {} }],
        },
      }),
      aPersistentVolumeClaim({ name: 'data-db-0', namespace: 'shop', uid: 'uid-data', volumeName: 'pv-data' }),
      aPersistentVolume({ name: 'pv-data', claim: { namespace: 'shop', name: 'data-db-0', uid: 'uid-data' } }),
    ],
  });
  const life = world.start();
  await world.create('nightly', { includedNamespaces: ['shop'], snapshotVolumes: false });
  await world.until('nightly', 'Completed');
  await life.stop();
  const files = backupStore(world.bucket, '');
  await files.putVolumeInfo('nightly', [
    {
      pvcName: 'data-db-0',
      pvcNamespace: 'shop',
      pvName: 'pv-data',
      backupMethod: 'PodVolumeBackup',
      snapshotDataMoved: false,
      preserveLocalSnapshot: false,
      skipped: false,
      pvInfo: { reclaimPolicy: 'Retain', labels: { disk: 'fast' } },
    },
  ]);
  await files.putPodVolumeBackups('nightly', [
    podVolumeBackup('db-0', 'data'),
    podVolumeBackup('db-0', 'cache'),
    podVolumeBackup('web', 'files'),
  ]);
  for (const pod of ['db-0', 'web']) world.cluster.remove(podType, { namespace: 'shop', name: pod });
  world.cluster.remove(persistentVolumeClaimType, { namespace: 'shop', name: 'data-db-0' });
  world.cluster.remove(persistentVolumeType, { name: 'pv-data' });
  world.cluster.remove(namespaceType, { name: 'shop' });
  play(world, agent);
  return world;
}

const volumesOf = (world: RestoreControllerWorld) =>
  world.cluster
    .all(podVolumeRestoreType)
    .map(({ spec }) => `${spec.pod.name}:${spec.volume}`)
    .sort();

const waitersOf = (world: RestoreControllerWorld) =>
  world.cluster.all(podType, 'shop').map(({ metadata, spec }: Pod) => [metadata.name, spec.initContainers?.[0]?.name]);

describe('a restore of volumes that were backed up through the file system', () => {
  it('makes a PodVolumeRestore for each when its pod is there, and is complete when all are', async () => {
    const world = await lost();
    world.startRestores();
    await world.createRestore('r');
    const { status } = await world.untilRestore('r', 'Completed', 'PartiallyFailed', 'Failed');
    expect(await world.restored.getResults('r')).toEqual({ errors: {}, warnings: {} });
    expect(status).toMatchObject({ phase: 'Completed', restoreItemOperationsCompleted: 3 });
    expect(volumesOf(world)).toEqual(['db-0:cache', 'db-0:data', 'web:files']);
    expect(waitersOf(world)).toEqual([
      ['db-0', 'restore-wait'],
      ['web', 'restore-wait'],
    ]);
    const [location] = world.cluster.all(backupStorageLocationType);
    for (const { spec } of world.cluster.all(podVolumeRestoreType)) {
      const pod = world.cluster.find(podType, { namespace: 'shop', name: spec.pod.name ?? '' });
      expect(spec.pod.uid).toBe(pod?.metadata.uid);
      expect(spec.backupStorageLocation).toBe(location?.metadata.name);
      expect(spec.snapshotID).toBe(`id-of-${spec.pod.name}-${spec.volume}`);
    }
    expect(world.cluster.find(persistentVolumeType, { name: 'new-data-db-0' })).toMatchObject({
      metadata: { labels: { disk: 'fast' } },
      spec: { persistentVolumeReclaimPolicy: 'Retain' },
    });
  });

  it('is partly failed when one of them fails, and says which volume and why', async () => {
    const world = await lost({
      act: (each) => (each.spec.volume === 'cache' ? { phase: 'Failed', message: 'no space left' } : completes(each)),
    });
    world.startRestores();
    await world.createRestore('r');
    const { status } = await world.untilRestore('r', 'Completed', 'PartiallyFailed', 'Failed');
    expect(status).toMatchObject({ phase: 'PartiallyFailed', errors: 1, restoreItemOperationsFailed: 1 });
    const { errors } = await world.restored.getResults('r');
    expect(JSON.stringify(errors)).toContain('no space left');
    expect(errors.namespaces?.shop).toHaveLength(1);
  });

  it('ends them when it is cancelled', async () => {
    const world = await lost({ act: () => ({ phase: 'InProgress' }) });
    world.startRestores();
    await world.createRestore('r');
    await world.untilRestore('r', 'WaitingForPluginOperations');
    await world.cluster.patch(
      restoreType,
      { namespace: 'velero', name: 'r' },
      { type: 'merge', body: { spec: { cancel: true } } },
    );
    await world.untilRestore('r', 'Canceled');
    expect(world.cluster.all(podVolumeRestoreType).map(({ status }) => status?.phase)).toEqual([
      'Canceled',
      'Canceled',
      'Canceled',
    ]);
  });

  /** Every write of the journey, before the API server has it and after, with the answer lost. */
  const deaths = Array.from({ length: 24 }, (_, atWrite) =>
    (['before', 'after'] as const).map((when) => ({ atWrite, when })),
  ).flat();
  it.each(deaths)('makes each once, whenever its controller dies ($atWrite, $when)', async (death) => {
    const world = await lost();
    const mortality: Mortality = {
      dead: false,
      writes: 0,
      death,
      die: () => {
        mortality.dead = true;
      },
    };
    const first = world.startRestores(mortalKube(world.cluster, mortality));
    await world.createRestore('r');
    await world.untilTrue(() => mortality.dead || world.restore('r')?.status?.phase === 'Completed');
    await first.stop();
    world.startRestores();
    const { status } = await world.untilRestore('r', 'Completed', 'PartiallyFailed', 'Failed');
    expect(await world.restored.getResults('r')).toEqual({ errors: {}, warnings: {} });
    expect([status?.phase, status?.failureReason]).toEqual(['Completed', undefined]);
    expect(volumesOf(world)).toEqual(['db-0:cache', 'db-0:data', 'web:files']);
  });
});
