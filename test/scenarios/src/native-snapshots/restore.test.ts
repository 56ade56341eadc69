import {
  backupType,
  type DeleteBackupRequest,
  deleteBackupRequestType,
  namespaceType,
  type PersistentVolume,
  persistentVolumeClaimType,
  persistentVolumeType,
  podType,
  restoreType,
  volumeSnapshotLocationType,
} from '@lateen/api-types';
import { AppError } from '@lateen/errors';
import { builtInActions } from '@lateen/item-actions';
import { restoreItems } from '@lateen/restore';
import { describe, expect, it } from 'vitest';
import { retentionBeside } from '../backup/retention-beside.ts';
import type { RestoreControllerWorld } from '../restore/controller-world.ts';
import { restoreControllerWorlds } from '../restore/controller-worlds.ts';
import { deathsAt, type Mortality, mortalKube } from '../world/mortal-kube.ts';
import { mortalSnapshotters } from '../world/mortal-snapshotters.ts';
import { aSnapshotLocation, diskNames, makeDisks, ofShop, shopOnDisks } from './shop-on-disks.ts';

const worlds = restoreControllerWorlds();

/** With a backup `nightly` of the shop, which still exists. */
async function backedUp(setUp: (world: RestoreControllerWorld) => void = () => {}): Promise<RestoreControllerWorld> {
  const world = worlds.empty({
    engine: { restoreItems },
    actions: builtInActions({ csi: true }),
    restoreActions: builtInActions({ csi: true }).restore,
    objects: [...shopOnDisks(), aSnapshotLocation()],
  });
  makeDisks(world.cloud);
  setUp(world);
  const life = world.start();
  await world.create('nightly', ofShop);
  await world.until('nightly', 'Completed', 'PartiallyFailed');
  await life.stop();
  world.cloud.calls.length = 0;
  return world;
}

/** The namespace and its disks were deleted. */
function lose(world: RestoreControllerWorld): RestoreControllerWorld {
  const { cluster, cloud } = world;
  for (const name of diskNames) {
    cluster.remove(persistentVolumeClaimType, { namespace: 'shop', name });
    cluster.remove(persistentVolumeType, { name: `pv-${name}` });
    cloud.volumes.delete(`vol-${name}`);
  }
  cluster.remove(podType, { namespace: 'shop', name: 'db' });
  cluster.remove(namespaceType, { name: 'shop' });
  return world;
}

const lost = async (setUp?: (world: RestoreControllerWorld) => void) => lose(await backedUp(setUp));

const diskOf = ({ spec }: PersistentVolume) => (spec.awsElasticBlockStore as { volumeID: string }).volumeID;

/** Content of the disks behind the claims of a namespace, by claim name. */
function contentsIn(
  { cluster, cloud }: RestoreControllerWorld,
  namespace = 'shop',
): Record<string, string | undefined> {
  return Object.fromEntries(
    cluster.all(persistentVolumeClaimType, namespace).map(({ metadata, spec }) => {
      const volume = cluster.find(persistentVolumeType, { name: spec.volumeName ?? '' });
      return [metadata.name, volume && cloud.volumes.get(diskOf(volume))?.content];
    }),
  );
}

const contents = { data: 'content of data', logs: 'content of logs' };

/** Disks without a PersistentVolume. */
const unused = ({ cluster, cloud }: RestoreControllerWorld): string[] => {
  const used = new Set(cluster.all(persistentVolumeType).map(diskOf));
  return [...cloud.volumes.keys()].filter((id) => !used.has(id));
};

async function restore(world: RestoreControllerWorld, spec = {}) {
  world.startRestores();
  await world.createRestore('back', { backupName: 'nightly', ...spec });
  const { status } = await world.untilRestore('back', 'Completed', 'PartiallyFailed', 'Failed');
  return { phase: status?.phase, ...(await world.restored.getResults('back')) };
}

const fine = { phase: 'Completed', errors: {}, warnings: {} };

describe('a restore of volumes that have native snapshots', () => {
  it('creates volumes from the snapshots, and reports each in its volume info', async () => {
    const world = await lost();
    expect(await restore(world)).toEqual(fine);
    expect(contentsIn(world)).toEqual(contents);
    expect(unused(world)).toEqual([]);
    const made = world.cluster.find(persistentVolumeType, { name: 'pv-data' });
    expect(made?.spec.awsElasticBlockStore).toEqual({ volumeID: expect.stringMatching(/^vol-made-/), fsType: 'ext4' });
    expect(made?.spec.claimRef).toEqual({
      apiVersion: 'v1',
      kind: 'PersistentVolumeClaim',
      namespace: 'shop',
      name: 'data',
    });
    expect(
      (await world.restored.getVolumeInfo('back')).map(({ nativeSnapshotInfo: info, ...rest }) => [rest, info]),
    ).toEqual(
      diskNames.map((name) => [
        {
          pvcName: name,
          pvcNamespace: 'shop',
          pvName: `pv-${name}`,
          restoreMethod: 'NativeSnapshot',
          snapshotDataMoved: false,
        },
        {
          snapshotHandle: expect.stringMatching(/^snap-made-/),
          volumeType: 'gp3',
          volumeAZ: 'eu-1a',
          iops: '3000',
          Phase: 'Completed',
        },
      ]),
    );
  });

  it('creates copies of volumes whose originals are in use', async () => {
    const world = await backedUp();
    expect(await restore(world, { namespaceMapping: { shop: 'copy' } })).toEqual(fine);
    expect(contentsIn(world, 'copy')).toEqual(contents);
    expect(contentsIn(world)).toEqual(contents);
    const clones = world.cluster
      .all(persistentVolumeType)
      .filter(({ metadata }) => metadata.name?.startsWith('velero-clone-'));
    const from = ({ metadata }: PersistentVolume) => metadata.annotations?.['velero.io/original-pv-name'] ?? '';
    clones.sort((a, b) => (from(a) < from(b) ? -1 : 1));
    expect(clones.map(({ metadata, spec }) => [metadata.annotations, spec.claimRef?.namespace])).toEqual([
      [{ 'velero.io/original-pv-name': 'pv-data' }, 'copy'],
      [{ 'velero.io/original-pv-name': 'pv-logs' }, 'copy'],
    ]);
  });

  it('leaves volumes alone that are in use in the target namespace', async () => {
    const world = await backedUp();
    expect(await restore(world)).toMatchObject({ phase: 'Completed', errors: {} });
    expect(world.cloud.calls).toEqual([]);
    expect(world.cloud.volumes.size).toBe(2);
  });

  it('uses the list of snapshots when the backup has no volume info', async () => {
    const world = await lost();
    world.bucket.objects.delete('backups/nightly/nightly-volumeinfo.json.gz');
    expect(await restore(world)).toEqual(fine);
    expect(contentsIn(world)).toEqual(contents);
  });

  it('makes a plan that asks the plugin only whether it is available, and says what would be created', async () => {
    const world = await lost();
    world.startRestores();
    await world.createRestore('plan', { backupName: 'nightly', dryRun: true });
    expect((await world.untilRestore('plan', 'Completed')).status).not.toHaveProperty('errors');
    expect(world.cloud.calls.map(({ call }) => call)).toEqual(['init']);
    const lines = [];
    for await (const line of world.restored.readPlan('plan')) lines.push(line);
    const reasons = lines.flatMap((line) => ('kind' in line && line.kind === 'PersistentVolume' ? [line.reason] : []));
    expect(reasons).toEqual(
      [1, 2].map(() =>
        expect.stringMatching(/^a new volume is made of native snapshot snap-made-\d in VolumeSnapshotLocation disks$/),
      ),
    );
    world.cluster.remove(volumeSnapshotLocationType, { namespace: 'velero', name: 'disks' });
    await world.createRestore('plan-2', { backupName: 'nightly', dryRun: true });
    expect((await world.untilRestore('plan-2', 'Completed')).status).toMatchObject({ errors: 2 });
  });

  it('names the volume that cannot be created and the cause, and restores everything else', async () => {
    const world = await lost();
    world.cloud.add({ on: 'createVolumeFromSnapshot', times: 1, fault: { fail: new AppError('SAID', 'no quota') } });
    const { phase, errors } = await restore(world);
    expect(phase).toBe('PartiallyFailed');
    expect(errors.cluster).toEqual([
      expect.stringMatching(
        /name: \/pv-.* error: \/no volume for PersistentVolume pv-.* could be made of native snapshot snap-made-\d in VolumeSnapshotLocation disks: no quota$/,
      ),
    ]);
    expect(world.cluster.all(persistentVolumeType)).toHaveLength(1);
    expect(Object.values(contentsIn(world)).filter((content) => content !== undefined)).toHaveLength(1);
    expect(unused(world)).toEqual([]);
  });

  it('names a volume that was created but is not used', async () => {
    const world = await lost();
    world.cluster.intercept(async (call, next) => {
      if (call.verb === 'create' && call.type.resource === 'persistentvolumes')
        throw new AppError('KUBE_FORBIDDEN', 'a policy does not want it');
      return await next();
    });
    const { phase, warnings } = await restore(world);
    expect(phase).toBe('PartiallyFailed');
    expect(unused(world)).toHaveLength(2);
    expect(warnings.cluster?.toSorted()).toEqual(
      unused(world).map((id) =>
        expect.stringMatching(
          new RegExp(
            `a volume was created from a native snapshot, but it has no PersistentVolume error: /volume ${id} of snapshot snap-made-\\d: delete it at the provider`,
          ),
        ),
      ),
    );
  });

  it('restores claims without data when their snapshot had failed, which is an error', async () => {
    const world = await lost(({ cloud }) =>
      cloud.add({ on: 'createSnapshot', times: 2, fault: { fail: new AppError('SAID', 'no quota') } }),
    );
    const { phase, errors } = await restore(world);
    expect(phase).toBe('PartiallyFailed');
    expect(errors.cluster).toHaveLength(2);
    expect(errors.cluster?.[0]).toContain('the native snapshot of a volume failed when it was backed up');
    const claims = world.cluster.all(persistentVolumeClaimType, 'shop');
    expect(claims.map(({ spec }) => spec.volumeName)).toEqual([undefined, undefined]);
  });

  it('restores only the objects with restorePVs false', async () => {
    const world = await lost();
    expect(await restore(world, { restorePVs: false })).toMatchObject({ phase: 'Completed' });
    expect(world.cloud.calls).toEqual([]);
  });
});

describe('a controller that dies during a restore', () => {
  it.each(deathsAt(20))(
    'leaves each volume created once, except one whose answer was lost ($atWrite, $when)',
    async (death) => {
      const world = await lost();
      const mortality: Mortality = {
        dead: false,
        writes: 0,
        death,
        die: () => {
          mortality.dead = true;
        },
      };
      const first = world.startRestores(mortalKube(world.cluster, mortality), {
        snapshotters: mortalSnapshotters(world.cloud, mortality),
      });
      await world.createRestore('back');
      await world.untilTrue(() => mortality.dead || world.restore('back')?.status?.phase === 'Completed');
      await first.stop();
      world.startRestores();
      const { status } = await world.untilRestore('back', 'Completed', 'PartiallyFailed', 'Failed');
      expect([status?.phase, await world.restored.getResults('back')]).toEqual([
        'Completed',
        { errors: {}, warnings: {} },
      ]);
      expect(contentsIn(world)).toEqual(contents);
      expect(world.cluster.all(persistentVolumeType)).toHaveLength(2);
      // Both creations may be in progress when the process dies.
      expect(unused(world).length).toBeLessThanOrEqual(2);
      expect((await world.restored.getVolumeInfo('back')).map(({ pvName }) => pvName)).toEqual(['pv-data', 'pv-logs']);
    },
  );
});

it('no snapshot is left after a backup, the loss of its namespace, a restore and the deletion of the backup', async () => {
  const world = await lost();
  expect(world.cloud.snapshots.size).toBe(2);
  expect(await restore(world)).toEqual(fine);
  retentionBeside(world, new Map());
  await world.cluster.create(deleteBackupRequestType, {
    apiVersion: 'velero.io/v1',
    kind: 'DeleteBackupRequest',
    metadata: { name: 'go', namespace: 'velero' },
    spec: { backupName: 'nightly' },
  } as DeleteBackupRequest);
  await world.untilTrue(() => world.cluster.all(deleteBackupRequestType).length === 0);
  expect(world.cluster.all(backupType)).toEqual([]);
  expect(world.cluster.all(restoreType)).toEqual([]);
  expect(world.stored.fileNames('nightly')).toEqual([]);
  expect([world.cloud.snapshots.size, world.cloud.open]).toEqual([0, 0]);
  expect(contentsIn(world)).toEqual(contents);
});
