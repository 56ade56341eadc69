import { describe, expect, it } from 'vitest';
import { aSetting, aStorageNode, GiB, replicaOf } from './storage-nodes-objects.ts';
import { runningNodes, StorageNodesWorld } from './storage-nodes-world.ts';

describe('disks', () => {
  it('are created from the annotation, with tags, when only labelled nodes get disks; an invalid annotation is reported', async () => {
    const disks = [
      { path: '/mnt/a', allowScheduling: true, tags: ['ssd'] },
      { path: '/mnt/b', name: 'slow', storageReserved: 7 },
    ];
    const annotations = {
      'node.longhorn.io/default-disks-config': JSON.stringify(disks),
      'node.longhorn.io/default-node-tags': '["rack"]',
    };
    const labels = { 'node.longhorn.io/create-default-disk': 'config' };
    const nodes = [
      aStorageNode('n1', { annotations, labels }),
      aStorageNode('n2', { annotations: { 'node.longhorn.io/default-disks-config': '[{}]' }, labels }),
      aStorageNode('n3'),
    ];
    const world = new StorageNodesWorld(nodes, [aSetting('create-default-disk-labeled-nodes', 'true')]);
    for (const path of ['/mnt/a', '/mnt/b']) world.host('n1').mount(path);
    for (const name of ['n1', 'n2', 'n3']) world.start(name);
    await world.pass(20);
    expect(world.node('n1')?.spec).toMatchObject({
      tags: ['rack'],
      disks: {
        'default-disk-fs-n1-mnta': { path: '/mnt/a', allowScheduling: true, tags: ['ssd'] },
        slow: { path: '/mnt/b', allowScheduling: false, storageReserved: 7 },
      },
    });
    expect([world.node('n2')?.spec.disks, world.node('n3')?.spec.disks]).toEqual([{}, {}]);
    const events = world.cluster.everything().filter(({ kind }) => kind === 'Event') as unknown as {
      reason: string;
      count: number;
    }[];
    expect(events.filter(({ reason }) => reason === 'DefaultsNotUsable').map(({ count }) => count)).toEqual([1]);
  });

  it('another disk at the path of a disk that was in use is rejected, and the original is accepted when it is back', async () => {
    const world = await runningNodes('n1');
    const mount = world.host('n1').mounts.get('/var/lib/longhorn/');
    const uuid = mount?.uuid;
    const readyOf = () =>
      Object.values(world.node('n1')?.status?.diskStatus ?? {})[0]?.conditions?.find(({ type }) => type === 'Ready');
    world.host('n1').mount('/var/lib/longhorn/', 'root');
    await world.pass(40);
    expect(readyOf()).toMatchObject({ status: 'False', reason: 'DiskFilesystemChanged' });
    expect(world.host('n1').mounts.get('/var/lib/longhorn/')?.uuid).toBeUndefined();
    if (mount !== undefined) world.host('n1').mounts.set('/var/lib/longhorn/', mount);
    await world.pass(40);
    expect([readyOf()?.status, Object.values(world.node('n1')?.status?.diskStatus ?? {})[0]?.diskUUID]).toEqual([
      'True',
      uuid,
    ]);
  });

  it('a scheduled replica counts in the used room immediately, not only at the next check', async () => {
    const world = await runningNodes('n1');
    const [disk] = Object.values(world.node('n1')?.status?.diskStatus ?? {});
    world.cluster.put(replicaOf('r', 'v', 'n1', disk?.diskUUID));
    await world.pass(3);
    expect(Object.values(world.node('n1')?.status?.diskStatus ?? {})[0]?.scheduledReplica).toEqual({ r: 10 * GiB });
  });
});
