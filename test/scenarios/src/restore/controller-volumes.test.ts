import {
  configMapType,
  type DataDownload,
  type DataUpload,
  dataDownloadType,
  dataUploadType,
  namespaceType,
  type PersistentVolumeClaim,
  persistentVolumeClaimType,
  persistentVolumeType,
  volumeSnapshotType,
} from '@lateen/api-types';
import { builtInActions } from '@lateen/item-actions';
import { keyOf } from '@lateen/kube';
import { restoreItems } from '@lateen/restore';
import { aNamespace, aPersistentVolume, aPersistentVolumeClaim, aPod, aStorageClass } from '@lateen/testing';
import { describe, expect, it } from 'vitest';
import { aSnapshotClass } from '../backup/csi-world.ts';
import { type Mortality, mortalKube } from '../world/mortal-kube.ts';
import { SnapshotActor } from '../world/snapshot-actor.ts';
import type { RestoreControllerWorld } from './controller-world.ts';
import { restoreControllerWorlds } from './controller-worlds.ts';

const worlds = restoreControllerWorlds();

/** A node-agent that stores the data of each volume immediately, and restores it when the claim exists and the test allows it. */
class NodeAgent {
  holds = false;
  readonly #world: RestoreControllerWorld;

  constructor(world: RestoreControllerWorld) {
    this.#world = world;
  }

  react(): boolean {
    const { cluster } = this.#world;
    const upload = cluster.all(dataUploadType).find(({ status }) => status?.phase === undefined);
    if (upload !== undefined)
      cluster.change<DataUpload>(dataUploadType, keyOf(upload), (object) => {
        object.status = { phase: 'Completed', snapshotID: `id-of-${upload.spec.sourcePVC}` };
      });
    const download = cluster.all(dataDownloadType).find(({ status }) => status?.phase === undefined);
    return upload !== undefined || (download !== undefined && this.#bringBack(download));
  }

  #bringBack(download: DataDownload): boolean {
    const { cluster } = this.#world;
    const { pvc: name, namespace } = download.spec.targetVolume;
    const claim = cluster.find(persistentVolumeClaimType, { namespace, name });
    const end = (status: DataDownload['status']) =>
      cluster.change<DataDownload>(dataDownloadType, keyOf(download), (object) => {
        object.status = { ...object.status, ...status };
      });
    if (download.spec.cancel === true) {
      end({ phase: 'Canceled' });
      return true;
    }
    if (claim === undefined || this.holds) return false;
    if (download.spec.restoreType !== undefined) {
      end({ phase: 'Completed' });
      return true;
    }
    const volumeName = `new-${name}`;
    const { uid = '' } = claim.metadata;
    cluster.put(aPersistentVolume({ name: volumeName, claim: { namespace, name, uid } }));
    cluster.change<PersistentVolumeClaim>(persistentVolumeClaimType, { namespace, name }, (object) => {
      object.spec = { ...object.spec, volumeName };
      object.status = { ...object.status, phase: 'Bound' };
    });
    end({ phase: 'Completed' });
    return true;
  }
}

/** A backup of two claims, which still exist. */
async function backedUp() {
  const world = worlds.empty({
    engine: { restoreItems },
    restoreActions: builtInActions({ csi: true }).restore,
    objects: [
      aNamespace({ name: 'shop' }),
      aPod({ name: 'node-agent-1', labels: { name: 'node-agent', role: 'node-agent' }, phase: 'Running' }),
      aStorageClass(),
      aSnapshotClass(),
      ...['data', 'logs'].flatMap((name) => [
        aPersistentVolumeClaim({ name, namespace: 'shop', uid: `uid-${name}`, volumeName: `pv-${name}` }),
        aPersistentVolume({
          name: `pv-${name}`,
          labels: { disk: name },
          claim: { namespace: 'shop', name, uid: `uid-${name}` },
        }),
      ]),
    ],
  });
  const snapshots = new SnapshotActor(world.cluster);
  snapshots.takesSnapshots = true;
  const agent = new NodeAgent(world);
  world.cluster.intercept(async (call, next) => {
    try {
      return await next();
    } finally {
      if (!['get', 'list', 'watch'].includes(call.verb)) while ([snapshots.react(), agent.react()].includes(true));
    }
  });
  const life = world.start();
  await world.create('nightly', { includedNamespaces: ['shop'], snapshotMoveData: true });
  await world.until('nightly', 'Completed');
  await life.stop();
  return { world, agent };
}

async function lost() {
  const { world, agent } = await backedUp();
  for (const name of ['data', 'logs']) {
    world.cluster.remove(persistentVolumeClaimType, { namespace: 'shop', name });
    world.cluster.remove(persistentVolumeType, { name: `pv-${name}` });
  }
  world.cluster.remove(namespaceType, { name: 'shop' });
  for (const upload of world.cluster.all(dataUploadType)) world.cluster.remove(dataUploadType, keyOf(upload));
  return { world, agent };
}

function expectVolumesBack(world: RestoreControllerWorld): void {
  const claims = world.cluster.all(persistentVolumeClaimType, 'shop');
  expect(claims.map(({ metadata, spec }) => [metadata.name, spec.volumeName])).toEqual([
    ['data', 'new-data'],
    ['logs', 'new-logs'],
  ]);
  const downloads = world.cluster.all(dataDownloadType);
  expect(downloads.map(({ spec, status }) => [spec.snapshotID, status?.phase]).sort()).toEqual([
    ['id-of-data', 'Completed'],
    ['id-of-logs', 'Completed'],
  ]);
  expect(world.cluster.find(persistentVolumeType, { name: 'new-data' })?.metadata.labels).toMatchObject({
    disk: 'data',
  });
  expect(world.cluster.all(configMapType, 'velero')).toEqual([]);
}

describe('a restore of volumes whose data was moved', () => {
  it('restores each with one DataDownload, and leaves no object of its own', async () => {
    const { world } = await lost();
    world.startRestores();
    await world.createRestore('r');
    const { status } = await world.untilRestore('r', 'Completed', 'PartiallyFailed', 'Failed');
    expect(await world.restored.getResults('r')).toEqual({ errors: {}, warnings: {} });
    expect(status).toMatchObject({ phase: 'Completed', restoreItemOperationsCompleted: 2 });
    expectVolumesBack(world);
    const volumes = await world.restored.getVolumeInfo('r');
    expect(volumes.map(({ pvcName, snapshotDataMoved }) => [pvcName, snapshotDataMoved]).sort()).toEqual([
      ['data', true],
      ['logs', true],
    ]);
  });

  it('cancels its movements when it is cancelled', async () => {
    const { world, agent } = await lost();
    agent.holds = true;
    world.startRestores();
    await world.createRestore('r');
    await world.untilRestore('r', 'WaitingForPluginOperations');
    await world.cluster.patch(
      { group: 'velero.io', version: 'v1', resource: 'restores', kind: 'Restore', namespaced: true },
      { namespace: 'velero', name: 'r' },
      { type: 'merge', body: { spec: { cancel: true } } },
    );
    await world.untilRestore('r', 'Canceled');
    expect(world.cluster.all(dataDownloadType).map(({ status }) => status?.phase)).toEqual(['Canceled', 'Canceled']);
    expect(world.cluster.all(configMapType, 'velero')).toEqual([]);
  });

  /** Every write of a whole restore, once before the API server gets it and once after, with the answer lost. */
  const deaths = Array.from({ length: 24 }, (_, atWrite) =>
    (['before', 'after'] as const).map((when) => ({ atWrite, when })),
  ).flat();
  it.each(deaths)('restores them once, whenever its controller dies ($atWrite, $when)', async (death) => {
    const { world } = await lost();
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
    expectVolumesBack(world);
  });
});

describe('a restore into existing volumes', () => {
  const spec = {
    backupName: 'nightly',
    existingVolumeDataPolicy: 'full',
    includedResources: ['persistentvolumeclaims'],
  };
  const keptOf = (world: RestoreControllerWorld) =>
    world.cluster
      .all(volumeSnapshotType, 'shop')
      .filter(({ metadata }) => metadata.labels?.['lateen.dev/old-data-of'] !== undefined)
      .map(({ metadata }) => metadata.labels?.['velero.io/pvc-uid'])
      .sort();

  function expectWritten(world: RestoreControllerWorld): void {
    const claims = world.cluster.all(persistentVolumeClaimType, 'shop');
    expect(claims.map(({ spec: { volumeName } }) => volumeName)).toEqual(['pv-data', 'pv-logs']);
    const downloads = world.cluster.all(dataDownloadType);
    expect(downloads.map(({ spec: { restoreType, targetVolume } }) => [restoreType, targetVolume.pv]).sort()).toEqual([
      ['full', 'pv-data'],
      ['full', 'pv-logs'],
    ]);
  }

  it('writes each once, after a snapshot of its old content', async () => {
    const { world } = await backedUp();
    world.startRestores();
    await world.createRestore('r', spec);
    const { status } = await world.untilRestore('r', 'Completed', 'PartiallyFailed', 'Failed');
    expect((await world.restored.getResults('r')).errors).toEqual({});
    expect(status).toMatchObject({ phase: 'Completed', restoreItemOperationsCompleted: 2 });
    expectWritten(world);
    expect(keptOf(world)).toEqual(['uid-data', 'uid-logs']);
  });

  it.each(Array.from({ length: 20 }, (_, atWrite) => atWrite))(
    'writes each once when its controller dies at write %d',
    async (atWrite) => {
      const { world } = await backedUp();
      const mortality: Mortality = {
        dead: false,
        writes: 0,
        death: { atWrite, when: 'after' },
        die: () => {
          mortality.dead = true;
        },
      };
      const first = world.startRestores(mortalKube(world.cluster, mortality));
      await world.createRestore('r', spec);
      await world.untilTrue(() => mortality.dead || world.restore('r')?.status?.phase === 'Completed');
      await first.stop();
      world.startRestores();
      await world.untilRestore('r', 'Completed', 'PartiallyFailed', 'Failed');
      expect((await world.restored.getResults('r')).errors).toEqual({});
      expectWritten(world);
      expect(new Set(keptOf(world))).toEqual(new Set(['uid-data', 'uid-logs']));
    },
  );
});
