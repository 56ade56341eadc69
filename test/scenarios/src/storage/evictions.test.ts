import { type Node, nodeType } from '@lateen/api-types';
import { type LonghornNode, longhornNodeType } from '@lateen/storage-types';
import { describe, expect, it } from 'vitest';
import { aSetting, aVolume, namespace } from './storage-objects.ts';
import { StorageWorld } from './storage-world.ts';

const nodes = ['n1', 'n2', 'n3', 'n4'];

/** A detached volume with data; its replicas are on the first nodes. */
async function detachedVolume(numberOfReplicas: number, settings: Record<string, string> = {}): Promise<StorageWorld> {
  const stored = Object.entries(settings).map(([name, value]) => aSetting(name, value));
  const world = new StorageWorld({ nodes, objects: [aVolume('vol', { numberOfReplicas }), ...stored] });
  for (const node of nodes.slice(numberOfReplicas)) setNode(world, node, { allowScheduling: false });
  world.startAll();
  await world.clock.advanceUntil(() => world.state() === 'detached/unknown');
  world.attach('n1');
  await world.clock.advanceUntil(() => world.state() === 'attached/healthy');
  expect(world.write()).toBe(true);
  world.detach('n1');
  await world.clock.advanceUntil(() => world.volume()?.status?.state === 'detached');
  return world;
}

function setNode(world: StorageWorld, node: string, spec: Partial<LonghornNode['spec']>): void {
  world.cluster.change<LonghornNode>(longhornNodeType, { namespace, name: node }, (object) => {
    object.spec = { ...object.spec, ...spec };
  });
}
const evict = (world: StorageWorld, node: string) =>
  setNode(world, node, { allowScheduling: false, evictionRequested: true });
/** Also changes the status as the controller of the node would. */
function cordon(world: StorageWorld, node: string): void {
  world.cluster.change<Node>(nodeType, { name: node }, (object) => {
    object.spec = { unschedulable: true };
  });
  world.cluster.change<LonghornNode>(longhornNodeType, { namespace, name: node }, (object) => {
    object.status = { ...object.status, autoEvicting: true };
  });
}
const places = (world: StorageWorld, volume = 'vol') =>
  world
    .replicas(volume)
    .map(({ spec }) => spec.nodeID)
    .sort();
const tickets = (world: StorageWorld) =>
  Object.values(world.attachment()?.spec.attachmentTickets ?? {}).map(({ type }) => type);
const isDetached = (world: StorageWorld) => world.volume()?.status?.state === 'detached';

describe('a detached volume whose replica is evicted from its node', () => {
  it('is attached without a device until another replica has all data, and then detached', async () => {
    const world = await detachedVolume(3);
    setNode(world, 'n4', { allowScheduling: true });
    evict(world, 'n2');
    await world.clock.advanceUntil(() => world.volume()?.status?.state === 'attached');
    expect(tickets(world)).toEqual(['volume-eviction-controller']);
    expect(world.hosts.enginesOf('vol').some(({ frontend }) => frontend)).toBe(false);
    await world.clock.advanceUntil(() => isDetached(world) && places(world).join() === 'n1,n3,n4');
    for (const { metadata } of world.replicas()) expect(world.lacking(metadata.name ?? '')).toEqual([]);
    expect(tickets(world)).toEqual([]);
    const names = world.replicas().map(({ metadata }) => metadata.name);
    await world.clock.advance(3_600_000);
    expect([isDetached(world), world.replicas().map(({ metadata }) => metadata.name)]).toEqual([true, names]);
  });

  it('stays detached while there is no room for another replica', async () => {
    const world = await detachedVolume(3);
    evict(world, 'n2');
    await world.clock.advance(600_000);
    expect([isDetached(world), tickets(world), places(world)]).toEqual([true, [], ['n1', 'n2', 'n3']]);
    setNode(world, 'n4', { allowScheduling: true });
    await world.clock.advanceUntil(() => isDetached(world) && places(world).join() === 'n1,n3,n4');
  });

  it('can be attached by others, and the replica is moved meanwhile', async () => {
    const world = await detachedVolume(3);
    setNode(world, 'n4', { allowScheduling: true });
    evict(world, 'n2');
    await world.clock.advanceUntil(() => world.volume()?.status?.state === 'attached');
    world.attach('n3');
    await world.clock.advanceUntil(() => world.volume()?.status?.currentNodeID === 'n3' && world.write());
    await world.clock.advanceUntil(() => places(world).join() === 'n1,n3,n4' && world.state() === 'attached/healthy');
    expect(tickets(world)).toEqual(['csi-attacher']);
  });
});

describe('a node that is drained', () => {
  it('loses the last replica of a volume with the policy, once, and keeps the others', async () => {
    const world = await detachedVolume(1, { 'node-drain-policy': 'block-for-eviction-if-contains-last-replica' });
    const [alone] = places(world);
    for (const node of nodes) setNode(world, node, { allowScheduling: true });
    world.cluster.put(aVolume('three'));
    await world.clock.advanceUntil(() => world.state('three') === 'detached/unknown');
    world.attach('n2', 'three');
    await world.clock.advanceUntil(() => world.state('three') === 'attached/healthy');
    const three = places(world, 'three');
    expect(three).toContain(alone);
    cordon(world, alone ?? '');
    await world.clock.advanceUntil(
      () => isDetached(world) && world.replicas().length === 1 && places(world)[0] !== alone,
    );
    const moved = world.replicas()[0]?.metadata.name;
    await world.clock.advance(3_600_000);
    expect(world.replicas().map(({ metadata }) => metadata.name)).toEqual([moved]);
    expect(places(world, 'three')).toEqual(three);
  });

  it('loses all replicas with the policy', async () => {
    const world = await detachedVolume(3, { 'node-drain-policy': 'block-for-eviction' });
    setNode(world, 'n4', { allowScheduling: true });
    cordon(world, 'n2');
    await world.clock.advanceUntil(() => isDetached(world) && places(world).join() === 'n1,n3,n4');
  });
});
