import { type Volume, volumeType } from '@lateen/storage-types';
import { describe, expect, it } from 'vitest';
import { aSetting, aVolume, namespace } from './storage-objects.ts';
import { StorageWorld } from './storage-world.ts';

/** A volume that was detached while one of its three replicas was lost. */
async function lackingOne(nodes: readonly string[], start: readonly string[] = nodes): Promise<StorageWorld> {
  const soon = aSetting('replica-replenishment-wait-interval', '30');
  const world = new StorageWorld({ nodes, objects: [aVolume('vol'), soon] });
  for (const node of start) world.start(node);
  await world.clock.advanceUntil(() => world.state() === 'detached/unknown');
  world.attach('n1');
  await world.clock.advanceUntil(() => world.state() === 'attached/healthy');
  const lost = world.replicas().find(({ spec }) => spec.nodeID !== 'n1')?.spec.nodeID ?? '';
  await world.setNode(lost, 'dead');
  expect(world.write()).toBe(true);
  await world.clock.advanceUntil(() => world.state() === 'attached/degraded');
  world.detach('n1');
  await world.clock.advanceUntil(() => world.volume()?.status?.state === 'detached');
  return world;
}

const ask = (world: StorageWorld, offlineRebuilding: 'enabled' | 'disabled') =>
  world.cluster.change<Volume>(volumeType, { namespace, name: 'vol' }, ({ spec }) => {
    spec.offlineRebuilding = offlineRebuilding;
  });
const offline = (world: StorageWorld) =>
  world.volume()?.status?.conditions?.find(({ type }) => type === 'OfflineRebuilding')?.status;
const tickets = (world: StorageWorld) =>
  Object.values(world.attachment()?.spec.attachmentTickets ?? {}).map(({ type }) => type);
const whole = (world: StorageWorld) =>
  world.replicas().filter(({ spec }) => (spec.healthyAt ?? '') !== '' && (spec.failedAt ?? '') === '');

describe('a detached volume with a missing replica', () => {
  it('stays unchanged until a rebuild is requested; then it is attached without a device, rebuilt and detached again', async () => {
    const world = await lackingOne(['n1', 'n2', 'n3', 'n4']);
    await world.clock.advance(120_000);
    expect([world.volume()?.status?.state, tickets(world)]).toEqual(['detached', []]);
    ask(world, 'enabled');
    await world.clock.advanceUntil(() => world.volume()?.status?.state === 'attached');
    expect([offline(world), tickets(world)]).toEqual(['True', ['volume-rebuilding-controller']]);
    expect(world.hosts.enginesOf('vol').some(({ frontend }) => frontend)).toBe(false);
    await world.clock.advanceUntil(() => whole(world).length === 3 && world.volume()?.status?.state === 'detached');
    for (const { metadata } of whole(world)) expect(world.lacking(metadata.name ?? '')).toEqual([]);
    expect([offline(world), tickets(world)]).toEqual(['False', []]);
    await world.clock.advance(120_000);
    expect(world.volume()?.status?.state).toBe('detached');
  });

  it('can be attached by others, on another node and with a device, and is rebuilt there', async () => {
    const world = await lackingOne(['n1', 'n2', 'n3', 'n4'], ['n1', 'n2', 'n3', 'n4']);
    ask(world, 'enabled');
    await world.clock.advanceUntil(() => world.volume()?.status?.state === 'attached');
    const at = world.volume()?.status?.currentNodeID;
    const other =
      world.nodes.find((node) => node !== at && whole(world).some(({ spec }) => spec.nodeID === node)) ?? '';
    world.attach(other);
    await world.clock.advanceUntil(() => world.volume()?.status?.currentNodeID === other && world.write());
    expect(tickets(world)).toEqual(['csi-attacher']);
    await world.clock.advanceUntil(() => world.state() === 'attached/healthy');
  });

  it('stays detached while there is no room for another replica, and uses the lost one again when its node is back', async () => {
    const world = await lackingOne(['n1', 'n2', 'n3']);
    const lost = world.replicas().find(({ spec }) => (spec.failedAt ?? '') !== '')?.spec.nodeID ?? '';
    ask(world, 'enabled');
    await world.clock.advanceUntil(() => world.replicas().some(({ spec }) => (spec.nodeID ?? '') === ''));
    await world.clock.advanceUntil(() => world.volume()?.status?.state === 'detached');
    await world.clock.advance(300_000);
    expect([world.volume()?.status?.state, tickets(world)]).toEqual(['detached', []]);
    await world.setNode(lost, 'up');
    await world.clock.advanceUntil(() => whole(world).length === 3 && world.volume()?.status?.state === 'detached');
  });

  it('is detached when the rebuild is no longer requested', async () => {
    const world = await lackingOne(['n1', 'n2', 'n3']);
    ask(world, 'enabled');
    await world.clock.advanceUntil(() => world.volume()?.status?.state === 'attached');
    ask(world, 'disabled');
    await world.clock.advanceUntil(() => world.volume()?.status?.state === 'detached');
    expect(tickets(world)).toEqual([]);
  });
});
