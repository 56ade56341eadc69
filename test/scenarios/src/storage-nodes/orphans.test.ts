import { type Orphan, orphanType, type Replica, type Setting, settingType, type Volume } from '@lateen/storage-types';
import { describe, expect, it } from 'vitest';
import { aStorageNode, namespace } from './storage-nodes-objects.ts';
import { StorageNodesWorld } from './storage-nodes-world.ts';

const path = '/var/lib/longhorn/';
const folder = (directory: string, volume: string | undefined) => ({
  directory,
  actualBytes: 1n,
  ...(volume === undefined
    ? { problem: 'there is no replica.json' }
    : { volume, volumeUid: 'uid', replica: directory }),
});

async function running(): Promise<StorageNodesWorld> {
  const world = new StorageNodesWorld([aStorageNode('n1')]);
  world.start('n1');
  await world.pass(10);
  return world;
}
const folders = (world: StorageNodesWorld) => world.host('n1').mounts.get(path)?.folders ?? [];
const orphans = (world: StorageNodesWorld): Orphan[] => world.cluster.all(orphanType);
const conditionOf = (orphan: Orphan | undefined, type: string) => {
  const { status, reason = '' } = orphan?.status?.conditions?.find((each) => each.type === type) ?? {};
  return `${status} ${reason}`.trim();
};
async function remove(world: StorageNodesWorld, orphan: Orphan | undefined): Promise<void> {
  await world.cluster.delete(orphanType, { namespace, name: orphan?.metadata.name ?? '' });
  await world.pass(10);
}

describe('orphans', () => {
  it('are created for folders that no Replica names; deleting the object deletes the data', async () => {
    const world = await running();
    folders(world).push(folder('old-r-1', 'old'));
    await world.pass(130);
    const [orphan] = orphans(world);
    expect(orphan).toMatchObject({
      metadata: { labels: { 'longhorn.io/orphan-type': 'replica', longhornnode: 'n1' } },
      spec: {
        nodeID: 'n1',
        orphanType: 'replica',
        parameters: { DataName: 'old-r-1', DiskPath: path, DiskType: 'filesystem' },
      },
      status: { ownerID: 'n1' },
    });
    expect(conditionOf(orphan, 'DataCleanable')).toBe('True');
    await remove(world, orphan);
    expect([orphans(world), folders(world)]).toEqual([[], []]);
    expect(world.host('n1').calls).toContain(`delete ${path}replicas/old-r-1 of old-r-1`);
  });

  it('of a volume that exists, or without a record, are deleted without their data', async () => {
    const world = await running();
    const volume: Volume = {
      apiVersion: 'longhorn.io/v1beta2',
      kind: 'Volume',
      metadata: { name: 'kept', namespace },
      spec: {},
    };
    world.cluster.put(volume);
    folders(world).push(folder('kept-r-1', 'kept'), folder('lost+found', undefined));
    await world.pass(130);
    expect(
      orphans(world)
        .map((each) => conditionOf(each, 'DataCleanable'))
        .sort(),
    ).toEqual(['False RecordUnreadable', 'False VolumeExists']);
    for (const orphan of orphans(world)) await remove(world, orphan);
    expect(folders(world)).toHaveLength(2);
  });

  it('are not created for a folder whose Replica is created a moment later, and are deleted when a Replica is created', async () => {
    const world = await running();
    const replica: Replica = {
      apiVersion: 'longhorn.io/v1beta2',
      kind: 'Replica',
      metadata: { name: 'v-r-1', namespace },
      spec: { volumeName: 'v', nodeID: 'n1', dataDirectoryName: 'v-r-1' },
    };
    folders(world).push(folder('v-r-1', 'v'));
    await world.pass(70);
    expect(orphans(world)).toEqual([]);
    world.cluster.put(replica);
    await world.pass(130);
    expect(orphans(world)).toEqual([]);
    folders(world).push(folder('w-r-1', 'w'));
    await world.pass(130);
    expect(orphans(world)).toHaveLength(1);
    const late: Replica = {
      ...replica,
      metadata: { name: 'w-r-1', namespace },
      spec: { ...replica.spec, dataDirectoryName: 'w-r-1' },
    };
    world.cluster.put(late);
    await world.pass(70);
    expect([orphans(world).length, folders(world).length]).toEqual([0, 2]);
  });

  it('are deleted without their data while the disk is not ready or another one', async () => {
    const world = await running();
    folders(world).push(folder('old-r-1', 'old'));
    await world.pass(130);
    const before = folders(world);
    world
      .host('n1')
      .mount(path, 'another')
      .folders.push(...before);
    await world.pass(40);
    expect(conditionOf(orphans(world)[0], 'DataCleanable')).toBe('False DiskInvalid');
    await remove(world, orphans(world)[0]);
    expect([orphans(world).length, folders(world).length]).toEqual([0, 1]);
  });

  it('are deleted by the setting, after the grace period', async () => {
    const world = await running();
    const set = (name: string, value: string) =>
      world.cluster.change<Setting>(settingType, { namespace, name }, (each) => {
        each.value = value;
      });
    set('orphan-resource-auto-deletion', 'replica-data');
    set('orphan-resource-auto-deletion-grace-period', '120');
    folders(world).push(folder('old-r-1', 'old'));
    await world.pass(180);
    expect(folders(world)).toHaveLength(1);
    await world.pass(120);
    expect([orphans(world), folders(world)]).toEqual([[], []]);
  });

  it('are created for processes too, which end with their object', async () => {
    const world = await running();
    world.host('n1').run({ kind: 'replica', name: 'x-r-1', volume: 'x', generation: 3, state: 'running', uuid: 'u' });
    await world.pass(130);
    const [orphan] = orphans(world);
    expect(orphan?.spec).toMatchObject({
      orphanType: 'replica-instance',
      parameters: { InstanceName: 'x-r-1', InstanceUUID: 'u' },
    });
    expect(conditionOf(orphan, 'InstanceExist')).toBe('True');
    await remove(world, orphan);
    expect(orphans(world)).toEqual([]);
    expect(world.host('n1').calls).toContain('stop replica x-r-1');
  });
});
