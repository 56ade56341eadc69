import { type KubeObject, labels } from '@lateen/api-types';
import {
  type Backup,
  backupType,
  backupVolumeType,
  engineType,
  replicaType,
  type Snapshot,
  snapshotType,
  volumeAttachmentObjectType,
  volumeType,
} from '@lateen/storage-types';
import { describe, expect, it } from 'vitest';
import { backupWorld, key } from './block-backup-world.ts';
import { aSetting, aVolume, namespace } from './storage-objects.ts';
import { StorageWorld } from './storage-world.ts';

/* Restored objects of longhorn.io may stand for data that does not exist. */

/** An object as a restore creates it: without status, uid and owners, and with the label of the restore. */
function restored(object: KubeObject): KubeObject {
  const { uid, resourceVersion, creationTimestamp, ownerReferences, ...metadata } = object.metadata;
  const { status, ...rest }: KubeObject & { status?: unknown } = object;
  const identity = { uid: `restored-${object.kind}-${metadata.name}` };
  return {
    ...rest,
    metadata: { ...metadata, ...identity, labels: { ...metadata.labels, [labels.restoreName]: 'again' } },
  };
}

/** An attached volume, with its objects as a backup reads them. */
async function inUse(): Promise<{ world: StorageWorld; objects: readonly KubeObject[] }> {
  const world = new StorageWorld({ objects: [aVolume('vol')] });
  world.startAll();
  await world.clock.advanceUntil(() => world.state() === 'detached/unknown');
  world.attach('n1');
  await world.clock.advanceUntil(() => world.state() === 'attached/healthy');
  expect(world.write()).toBe(true);
  const kinds = [volumeType, engineType, replicaType, volumeAttachmentObjectType];
  return { world, objects: kinds.flatMap((type) => world.cluster.all<KubeObject>(type, namespace)) };
}

const dataMissing = (world: StorageWorld) =>
  world.volume()?.status?.conditions?.find(({ type }) => type === 'DataMissing');

describe('a volume that was restored as an object', () => {
  it.each([
    ['with its engine and replicas', (each: KubeObject) => each.kind !== ''],
    ['alone', ({ kind }: KubeObject) => kind === 'Volume'],
  ])('%s reports that its data is missing, and creates nothing in its place', async (_title, isStored) => {
    const before = await inUse();
    const world = new StorageWorld({ objects: before.objects.filter(isStored).map(restored) });
    world.startAll();
    await world.clock.advanceUntil(() => dataMissing(world)?.status === 'True');
    expect(dataMissing(world)).toMatchObject({
      reason: 'RestoredWithoutData',
      message: expect.stringContaining('Delete volume vol'),
    });
    const replicas = world.replicas().length;
    await world.clock.advanceUntil(() => world.attachment() !== undefined);
    world.attach('n2');
    await world.clock.advance(1_200_000);
    expect(world.state()).toBe('detached/faulted');
    expect([world.replicas().length, world.hosts.disks.size, world.hosts.enginesOf('vol').length]).toEqual([
      replicas,
      0,
      0,
    ]);
    for (const { spec } of world.replicas()) expect(spec.desireState).toBe('stopped');
    // A manager that is restarted, or another one, decides the same.
    world.start('n1');
    await world.clock.advance(60_000);
    expect(world.state()).toBe('detached/faulted');
    await world.cluster.delete(volumeType, { namespace, name: 'vol' });
    await world.clock.advanceUntil(() => world.volume() === undefined && world.replicas().length === 0);
  });

  it('keeps the folders of the original volume when it is deleted', async () => {
    const before = await inUse();
    const world = new StorageWorld({ objects: before.objects.map(restored) });
    for (const [name, disk] of before.world.hosts.disks) world.hosts.disks.set(name, disk);
    const folders = [...world.hosts.disks.keys()];
    world.startAll();
    await world.clock.advanceUntil(() => dataMissing(world)?.status === 'True');
    await world.cluster.delete(volumeType, { namespace, name: 'vol' });
    await world.clock.advanceUntil(() => world.volume() === undefined && world.replicas().length === 0);
    expect([...world.hosts.disks.keys()]).toEqual(folders);
  });

  it('is not assumed when a restore has only overwritten annotations of an existing volume', async () => {
    const { world } = await inUse();
    world.cluster.change(volumeType, { namespace, name: 'vol' }, ({ metadata }) => {
      metadata.annotations = { ...metadata.annotations, 'storage.lateen.dev/made-as': 'another' };
      metadata.labels = { ...metadata.labels, [labels.restoreName]: 'again' };
    });
    await world.clock.advance(60_000);
    expect(world.state()).toBe('attached/healthy');
    expect(dataMissing(world)).toBeUndefined();
  });
});

describe('a volume whose disks are not mounted', () => {
  it('reports that, and is attached when they are back', async () => {
    const { world } = await inUse();
    world.detach('n1');
    await world.clock.advanceUntil(() => world.state() === 'detached/unknown');
    const disks = [...world.hosts.disks];
    world.hosts.disks.clear();
    world.attach('n1');
    await world.clock.advanceUntil(() => dataMissing(world)?.status === 'True', { withinMs: 600_000 });
    expect(dataMissing(world)).toMatchObject({
      reason: 'ReplicasGone',
      message: expect.stringContaining('Mount the disks'),
    });
    expect(world.hosts.disks.size).toBe(0);
    for (const [name, disk] of disks) world.hosts.disks.set(name, disk);
    await world.clock.advanceUntil(() => world.state() === 'attached/healthy', { withinMs: 1_200_000 });
    expect(dataMissing(world)?.status).toBe('False');
    for (const { metadata } of world.replicas()) expect(world.lacking(metadata.name ?? '')).toEqual([]);
  });
});

const blocks = ({ memory }: ReturnType<typeof backupWorld>) =>
  [...memory.objects.keys()].filter((each) => each.endsWith('.blk') || each.includes('backup_'));

/** A complete backup on the target; only the object of this restore is in the cluster. */
async function withStored(change: (backup: KubeObject) => KubeObject, removed: readonly string[] = []) {
  const world = backupWorld();
  world.cluster.put(aSetting('failed-backup-ttl', '10'));
  world.ask('backup-1', 's1');
  await world.clock.advanceUntil(() => world.backup('backup-1')?.status?.state === 'Completed');
  await world.clock.advanceUntil(() => world.cluster.all(backupVolumeType).length === 1);
  const object = world.backup('backup-1') as Backup;
  const there = blocks(world);
  expect(there.length).toBeGreaterThan(1);
  for (const name of removed) await world.cluster.delete(volumeType, key(name));
  world.cluster.change(backupType, key('backup-1'), ({ metadata }) => {
    metadata.finalizers = [];
  });
  await world.cluster.delete(backupType, key('backup-1'));
  world.cluster.put(change(restored(object)));
  return { world, there };
}

describe('a Backup that was restored as an object', () => {
  it.each([
    ['while its volume is there', []],
    ['without its volume', ['vol']],
  ])('%s has the status of what the target has, and stays after failed-backup-ttl', async (_title, removed) => {
    const { world, there } = await withStored((backup) => backup, removed);
    await world.clock.advanceUntil(() => world.backup('backup-1')?.status?.state === 'Completed');
    expect(world.asked.length).toBe(1);
    await world.clock.advance(1_200_000);
    expect(world.backup('backup-1')?.status?.state).toBe('Completed');
    expect(blocks(world)).toEqual(there);
  });

  it('that was marked failed leaves the backup on the target when it is deleted', async () => {
    const error = { status: { state: 'Error', lastSyncedAt: '2029-01-01T00:00:00Z' } } as const;
    const { world, there } = await withStored((backup) => ({ ...backup, ...error }));
    const first = world.backup('backup-1')?.metadata.uid;
    await world.clock.advanceUntil(() => world.backup('backup-1')?.metadata.uid !== first);
    // The next synchronization finds it and creates its object.
    await world.clock.advanceUntil(() => world.backup('backup-1')?.status?.state === 'Completed', {
      withinMs: 1_200_000,
    });
    expect(blocks(world)).toEqual(there);
  });

  it('that garbage collection deletes because its owner is gone leaves the backup on the target', async () => {
    const ownerReferences = [{ apiVersion: 'longhorn.io/v1beta2', kind: 'Volume', name: 'vol', uid: 'gone' }];
    const { world, there } = await withStored((backup) => ({
      ...backup,
      metadata: { ...backup.metadata, ownerReferences },
    }));
    await world.clock.advanceUntil(() => world.backup('backup-1')?.status?.state === 'Completed');
    const first = world.backup('backup-1')?.metadata.uid;
    await world.cluster.delete(backupType, key('backup-1'));
    await world.clock.advanceUntil(() => world.backup('backup-1')?.metadata.uid !== first);
    await world.clock.advance(60_000);
    expect(blocks(world)).toEqual(there);
  });
});

describe('a Snapshot that was restored as an object', () => {
  it('is not taken again, because it would have other data under its name', async () => {
    const { world } = await inUse();
    const name = 'before';
    const snapshot: Snapshot = {
      apiVersion: 'longhorn.io/v1beta2',
      kind: 'Snapshot',
      metadata: { name, namespace, labels: { longhornvolume: 'vol', [labels.restoreName]: 'again' } },
      spec: { volume: 'vol', createSnapshot: true },
    };
    world.cluster.put(snapshot);
    const found = () => world.cluster.find<Snapshot>(snapshotType, { namespace, name });
    await world.clock.advanceUntil(() => (found()?.status?.error ?? '') !== '');
    expect(found()?.status).toMatchObject({ readyToUse: false, error: expect.stringContaining('was restored') });
    for (const disk of world.hosts.disks.values()) expect(disk.snapshots.map((each) => each.name)).not.toContain(name);
  });
});
