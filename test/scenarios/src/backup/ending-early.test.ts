import {
  backupType,
  dataUploadType,
  finalizers,
  volumeSnapshotContentType,
  volumeSnapshotType,
} from '@lateen/api-types';
import {
  aBackupStorageLocation,
  aConfigMap,
  aDataUpload,
  aNamespace,
  aVolumeSnapshot,
  aVolumeSnapshotContent,
} from '@lateen/testing';
import { describe, expect, it } from 'vitest';
import { type Mortality, mortalKube } from '../world/mortal-kube.ts';
import { aBackup, type BackupWorld, namespace } from './backup-world.ts';
import { backupWorlds } from './backup-worlds.ts';
import { gateAction } from './gate-action.ts';

const worlds = backupWorlds();

const shop = [aNamespace({ name: 'shop' }), aConfigMap({ name: 'settings', namespace: 'shop' })];
const ofShop = { includedNamespaces: ['shop'] };

function gated(options: Parameters<typeof worlds.empty>[0] = {}) {
  const gate = gateAction();
  const world = worlds.empty({
    objects: shop,
    ...options,
    actions: { backup: [gate.action], block: [], delete: [], restore: [] },
  });
  return { world, gate };
}

/** Objects that a backup creates in the cluster in addition to its files. */
function makeVolumes(world: BackupWorld, name: string): void {
  const uid = world.backup(name)?.metadata.uid ?? '';
  const upload = aDataUpload({ name: `${name}-x`, phase: 'InProgress', labels: { 'velero.io/backup-uid': uid } });
  const snapshot = aVolumeSnapshot({
    name: 'velero-data',
    namespace: 'shop',
    labels: { 'velero.io/backup-name': name },
  });
  world.cluster.put(upload, snapshot, aVolumeSnapshotContent({ name: 'snapcontent-1' }));
  world.cluster.change(volumeSnapshotType, { namespace: 'shop', name: 'velero-data' }, (made) => {
    made.status = { ...made.status, boundVolumeSnapshotContentName: 'snapcontent-1' };
  });
}

function expectNothingLeft(world: BackupWorld, name: string): void {
  expect(world.stored.fileNames(name)).toEqual([]);
  expect(world.cluster.all(dataUploadType)).toEqual([]);
  expect(world.cluster.all(volumeSnapshotType)).toEqual([]);
  expect(world.cluster.all(volumeSnapshotContentType).map(({ spec }) => spec.deletionPolicy)).toEqual(['Delete']);
}

const isAway = { fault: { fail: new Error('no route to host') } };

const cancel = async (world: BackupWorld, name: string) => {
  await world.cluster.patch(backupType, { namespace, name }, { type: 'merge', body: { spec: { cancel: true } } });
  await world.work();
};

describe('a backup that is cancelled', () => {
  it('ends in Canceled while it runs, and leaves nothing', async () => {
    const { world, gate } = gated();
    world.start();
    await world.create('b', ofShop);
    expect(gate.held()).toEqual(['b']);
    makeVolumes(world, 'b');
    await cancel(world, 'b');
    const backup = await world.until('b', 'Canceled');
    expect(world.phases('b')).toEqual(['Queued', 'ReadyToStart', 'InProgress', 'Canceling', 'Canceled']);
    expect(backup.status?.completionTimestamp).toBe('2030-01-01T00:00:00Z');
    expect(backup.metadata.finalizers ?? []).toEqual([]);
    expectNothingLeft(world, 'b');
    expect(gate.held()).toEqual([]);
  });

  it('is cleaned up by the next controller when the first one stops during the backup', async () => {
    const { world } = gated({
      objects: [...shop, aBackup('b', { ...ofShop, cancel: true, storageLocation: 'default' }, { phase: 'Canceling' })],
    });
    makeVolumes(world, 'b');
    world.bucket.objects.set('backups/b/b.tar.gz', new Uint8Array(3));
    world.start();
    await world.until('b', 'Canceled');
    expectNothingLeft(world, 'b');
  });

  it('stays in Canceling while the store is not reachable, and ends when it is reachable again', async () => {
    const { world } = gated();
    world.start();
    await world.create('b', ofShop);
    world.store.add(isAway);
    await cancel(world, 'b');
    expect(world.phase('b')).toBe('Canceling');
    await world.clock.advance(60_000);
    expect(world.phase('b')).toBe('Canceling');
    world.store.heal();
    await world.until('b', 'Canceled');
    expect(world.stored.fileNames('b')).toEqual([]);
  });

  it('stays Completed when it is cancelled after its end', async () => {
    const { world, gate } = gated();
    gate.open();
    world.start();
    await world.create('b', ofShop);
    await world.until('b', 'Completed');
    await cancel(world, 'b');
    await world.clock.advance(600_000);
    expect(world.phase('b')).toBe('Completed');
    expect(world.stored.fileNames('b')).toContain('velero-backup.json');
  });
});

describe('a backup that is deleted while it runs', () => {
  it('ends, and leaves nothing', async () => {
    const { world, gate } = gated();
    world.start();
    await world.create('b', ofShop);
    makeVolumes(world, 'b');
    await world.cluster.delete(backupType, { namespace, name: 'b' });
    await world.work();
    await world.clock.advanceUntil(() => world.backup('b') === undefined);
    expectNothingLeft(world, 'b');
    expect(gate.held()).toEqual([]);
  });

  it('ends also when it is deleted while no controller runs', async () => {
    const { world } = gated();
    const life = world.start();
    await world.create('b', ofShop);
    makeVolumes(world, 'b');
    await life.stop();
    await world.cluster.delete(backupType, { namespace, name: 'b' });
    expect(world.backup('b')?.metadata.finalizers).toEqual([finalizers.backupUnderWay]);
    world.start();
    await world.clock.advanceUntil(() => world.backup('b') === undefined);
    expectNothingLeft(world, 'b');
  });

  it('allows a new backup of the same name immediately', async () => {
    const { world, gate } = gated();
    world.start();
    await world.create('b', ofShop);
    await world.cluster.delete(backupType, { namespace, name: 'b' });
    await world.clock.advanceUntil(() => world.backup('b') === undefined);
    gate.open();
    await world.create('b', ofShop);
    expect((await world.until('b', 'Completed', 'Failed')).status?.phase).toBe('Completed');
  });
});

const abandoned = 'found a backup with status "InProgress" during the server starting, mark it as "Failed"';

describe('a controller that stops in the middle of a backup', () => {
  it('has the next controller fail it with the reason and remove what it left', async () => {
    const { world } = gated();
    const life = world.start();
    await world.create('b', ofShop);
    makeVolumes(world, 'b');
    await life.stop();
    expect(world.phase('b')).toBe('InProgress');
    world.start();
    const backup = await world.until('b', 'Failed');
    expect(backup.status).toMatchObject({ failureReason: abandoned, completionTimestamp: expect.any(String) });
    expect(world.events('b').find(({ reason }) => reason === 'Failed')?.message).toContain(abandoned);
    expectNothingLeft(world, 'b');
  });

  it('has the next controller fail it also when its location cannot be reached, and report what may be left', async () => {
    const { world } = gated({
      objects: [...shop, aBackup('b', { ...ofShop, storageLocation: 'default' }, { phase: 'InProgress' })],
      faults: [isAway],
    });
    world.start();
    const backup = await world.until('b', 'Failed');
    expect(backup.status?.failureReason).toMatch(/^found a backup with status "InProgress".*no route to host/);
  });

  /** Every write of a whole backup, once before the API server gets it and once after, with the answer lost. */
  const deaths = Array.from({ length: 7 }, (_, atWrite) =>
    (['before', 'after'] as const).map((when) => ({ atWrite, when })),
  ).flat();
  it.each(deaths)('leaves every backup whole or removed ($atWrite, $when)', async (death) => {
    const world = worlds.empty({ objects: shop });
    const life: { stop?: () => Promise<void> } = {};
    const mortality: Mortality = {
      dead: false,
      writes: 0,
      death,
      die: () => {
        mortality.dead = true;
      },
    };
    const first = world.start(mortalKube(world.cluster, mortality));
    life.stop = first.stop;
    await world.create('b', ofShop);
    await world.work();
    await first.stop();
    world.start();
    const backup = await world.until('b', 'Completed', 'PartiallyFailed', 'Failed');
    const stored = await world.stored.files.getBackup('b');
    if (backup.status?.phase === 'Failed') {
      expect(backup.status.failureReason).toBe(abandoned);
      expect(world.stored.fileNames('b')).toEqual([]);
    } else {
      expect(backup.status?.phase).toBe('Completed');
      expect(stored?.status?.phase).toBe('Completed');
      expect(await world.stored.archived('b')).toEqual(['configmaps/shop/settings', 'namespaces/shop']);
    }
    expect(backup.metadata.finalizers ?? []).toEqual([]);
  });
});

describe('a name that is taken in the bucket', () => {
  it('fails the backup and leaves the stored one unchanged', async () => {
    const world = worlds.empty({ objects: shop });
    await world.stored.files.putBackup(aBackup('b', {}, { phase: 'Completed' }));
    const before = world.stored.fileNames('b');
    world.start();
    await world.create('b', ofShop);
    const backup = await world.until('b', 'Failed');
    expect(backup.status?.failureReason).toBe('backup already exists in object storage');
    expect(world.stored.fileNames('b')).toEqual(before);
  });

  it('does not count when an unfinished backup has left only some files', async () => {
    const world = worlds.empty({ objects: shop });
    world.bucket.objects.set('backups/b/b.tar.gz', new Uint8Array(3));
    world.start();
    await world.create('b', ofShop);
    expect((await world.until('b', 'Completed', 'Failed')).status?.phase).toBe('Completed');
  });
});

describe('a location that is lost', () => {
  it.each<[string, (world: BackupWorld) => void, string]>([
    [
      'is deleted',
      (world) =>
        world.cluster.remove(
          {
            group: 'velero.io',
            version: 'v1',
            resource: 'backupstoragelocations',
            kind: 'BackupStorageLocation',
            namespaced: true,
          },
          { namespace, name: 'default' },
        ),
      'BackupStorageLocation default does not exist any more',
    ],
    [
      'becomes read-only',
      (world) => world.cluster.put(aBackupStorageLocation({ spec: { accessMode: 'ReadOnly' } })),
      'BackupStorageLocation default has become read-only',
    ],
  ])('before the finalizing (%s) leaves the backup partially failed, and says why', async (_, lose, why) => {
    const world = worlds.empty({
      objects: [...shop, aBackup('b', { storageLocation: 'default' }, { phase: 'Finalizing' })],
    });
    lose(world);
    world.start();
    const backup = await world.until('b', 'PartiallyFailed');
    expect(backup.status?.failureReason).toBe(why);
  });
});
