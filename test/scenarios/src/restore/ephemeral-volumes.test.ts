import {
  claimNameOf,
  namespaceType,
  type Pod,
  persistentVolumeClaimType,
  persistentVolumeType,
  podType,
  podVolumeRestoreType,
} from '@lateen/api-types';
import { backupStore } from '@lateen/backup-store';
import { builtInActions } from '@lateen/item-actions';
import { ownerReferenceTo } from '@lateen/kube';
import { restoreItems } from '@lateen/restore';
import { aNamespace, aPersistentVolumeClaim, aPod, aStorageClass, type FakeCluster } from '@lateen/testing';
import { describe, expect, it } from 'vitest';
import { type Mortality, mortalKube } from '../world/mortal-kube.ts';
import type { RestoreControllerWorld } from './controller-world.ts';
import { restoreControllerWorlds } from './controller-worlds.ts';

/*
 * Kubernetes uses the claim `<pod>-<volume>` of a generic ephemeral volume only when that pod controls it. A restored claim had no owner,
 * so a restored pod with such a volume never started.
 */

const worlds = restoreControllerWorlds();
const at = (name: string) => ({ namespace: 'shop', name });
const claimKey = at('db-0-scratch');

const aDatabase = (): Pod =>
  aPod({
    ...at('db-0'),
    phase: 'Running',
    spec: {
      containers: [{ name: 'db', image: 'db:1', volumeMounts: [{ name: 'scratch', mountPath: '/scratch' }] }],
      volumes: [{ name: 'scratch', ephemeral: { volumeClaimTemplate: { spec: { accessModes: ['ReadWriteOnce'] } } } }],
    },
  });

/** The ephemeral volume controller: immediately creates an empty claim for a pod whose claim is missing. */
function makesClaims(cluster: FakeCluster): void {
  cluster.onChange(({ type, object }) => {
    if (type !== 'ADDED' || object.kind !== 'Pod') return;
    const pod = object as unknown as Pod;
    for (const volume of pod.spec.volumes ?? []) {
      const name = claimNameOf(pod.metadata.name ?? '', volume);
      if (!volume.ephemeral || name === undefined) continue;
      if (cluster.find(persistentVolumeClaimType, at(name)) !== undefined) continue;
      const claim = aPersistentVolumeClaim({ ...at(name), labels: { made: 'empty' } });
      claim.metadata.ownerReferences = [{ ...ownerReferenceTo(pod, { controller: true }), blockOwnerDeletion: true }];
      cluster.put(claim);
    }
  });
}

/** The verdict of scheduler and kubelet about the pod. */
function verdict({ cluster }: RestoreControllerWorld): string {
  const pod = cluster.find(podType, at('db-0'));
  const claim = cluster.find(persistentVolumeClaimType, claimKey);
  if (pod === undefined || claim === undefined) return 'not there';
  const controller = claim.metadata.ownerReferences?.find((owner) => owner.controller === true);
  if (controller?.uid !== pod.metadata.uid) return 'PVC shop/db-0-scratch was not created for pod shop/db-0';
  return claim.metadata.labels?.made === 'empty' ? 'starts with an empty volume' : 'starts with its claim';
}

/** A pod and its claim are backed up; then the namespace is deleted. */
async function lost(): Promise<RestoreControllerWorld> {
  const pod = aDatabase();
  pod.metadata.uid = 'pod-in-backup';
  const claim = aPersistentVolumeClaim({ ...claimKey, labels: { made: 'with-data' } });
  claim.metadata.ownerReferences = [{ ...ownerReferenceTo(pod, { controller: true }), blockOwnerDeletion: true }];
  const world = worlds.empty({
    engine: { restoreItems },
    restoreActions: builtInActions({ csi: true, podVolumes: { image: async () => 'lateen:1' } }).restore,
    objects: [aNamespace({ name: 'shop' }), aStorageClass(), pod, claim],
  });
  await world.backedUp();
  world.cluster.remove(podType, at('db-0'));
  if (world.cluster.find(persistentVolumeClaimType, claimKey))
    world.cluster.remove(persistentVolumeClaimType, claimKey);
  world.cluster.remove(namespaceType, { name: 'shop' });
  expect(world.cluster.all(persistentVolumeType)).toEqual([]);
  makesClaims(world.cluster);
  return world;
}

const ends = ['Completed', 'PartiallyFailed', 'Failed'] as const;

describe('a restored pod with an ephemeral volume', () => {
  it('owns the restored claim, and starts', async () => {
    const world = await lost();
    world.startRestores();
    await world.createRestore('r');
    await world.untilRestore('r', ...ends);
    expect(await world.restored.getResults('r')).toEqual({ errors: {}, warnings: {} });
    expect(verdict(world)).toBe('starts with its claim');
    const { uid } = world.cluster.find(podType, at('db-0'))?.metadata ?? {};
    expect(world.cluster.find(persistentVolumeClaimType, claimKey)?.metadata.ownerReferences).toEqual([
      { apiVersion: 'v1', kind: 'Pod', name: 'db-0', uid, controller: true, blockOwnerDeletion: true },
    ]);
  });

  it('owns it before its data is restored through the file system', async () => {
    const world = await lost();
    await backupStore(world.bucket, '').putPodVolumeBackups('nightly', [
      {
        apiVersion: 'velero.io/v1',
        kind: 'PodVolumeBackup',
        metadata: { namespace: 'velero', name: 'nightly-x', annotations: { 'velero.io/pvc-name': 'db-0-scratch' } },
        spec: {
          node: 'n1',
          volume: 'scratch',
          pod: { kind: 'Pod', ...at('db-0') },
          backupStorageLocation: 'default',
          repoIdentifier: '',
          uploaderType: 'kopia',
        },
        status: { phase: 'Completed', snapshotID: 'stored', progress: { totalBytes: 100, bytesDone: 100 } },
      },
    ]);
    world.startRestores();
    await world.createRestore('r');
    await world.untilRestore('r', 'WaitingForPluginOperations');
    expect(world.cluster.all(podVolumeRestoreType).map(({ spec }) => spec.volume)).toEqual(['scratch']);
    expect(verdict(world)).toBe('starts with its claim');
  });

  it('is created after its claim, also when the claim needs a retry: Kubernetes would create an empty one', async () => {
    const world = await lost();
    world.cluster.failOnce('create', ({ type }) => type.resource === 'persistentvolumeclaims', 'KUBE_UNAVAILABLE');
    world.startRestores();
    await world.createRestore('r');
    await world.untilRestore('r', ...ends);
    expect(verdict(world)).toBe('starts with its claim');
  });

  it('gets a new claim from Kubernetes when the claim is not restored', async () => {
    const world = await lost();
    world.startRestores();
    await world.createRestore('r', { backupName: 'nightly', excludedResources: ['persistentvolumeclaims'] });
    await world.untilRestore('r', ...ends);
    expect(await world.restored.getResults('r')).toEqual({ errors: {}, warnings: {} });
    expect(verdict(world)).toBe('starts with an empty volume');
  });

  it.each(['', 'update'] as const)(
    'does not take over an existing claim, and the message says what to do (existingResourcePolicy "%s")',
    async (existingResourcePolicy) => {
      const world = await lost();
      world.cluster.put(
        aNamespace({ name: 'shop' }),
        aPersistentVolumeClaim({ ...claimKey, labels: { made: 'before' } }),
      );
      await world.clock.advance(5_000);
      world.startRestores();
      await world.createRestore('r', {
        backupName: 'nightly',
        ...(existingResourcePolicy === '' ? {} : { existingResourcePolicy }),
      });
      await world.untilRestore('r', ...ends);
      expect(verdict(world)).toContain('was not created for pod');
      const { warnings } = await world.restored.getResults('r');
      expect(JSON.stringify(warnings.namespaces?.shop)).toContain('delete pod and claim, and restore again');
    },
  );

  /** Every write of a whole restore, once before the API server gets it and once after, with the answer lost. */
  const deaths = Array.from({ length: 12 }, (_, atWrite) =>
    (['before', 'after'] as const).map((when) => ({ atWrite, when })),
  ).flat();
  it.each(deaths)('starts, whenever the controller dies ($atWrite, $when)', async (death) => {
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
    const { status } = await world.untilRestore('r', ...ends);
    expect(status?.phase).toBe('Completed');
    expect(verdict(world)).toBe('starts with its claim');
  });
});
