import { hostError, type InstanceHost } from '@lateen/block-engine';
import { type LonghornNode, longhornNodeType, storageAnnotations } from '@lateen/storage-types';
import { describe, expect, it } from 'vitest';
import { aSetting, aVolume, namespace } from './storage-objects.ts';
import { StorageWorld } from './storage-world.ts';

function allow(world: StorageWorld, node: string, allowScheduling: boolean): void {
  world.cluster.change<LonghornNode>(longhornNodeType, { namespace, name: node }, ({ spec }) => {
    spec.allowScheduling = allowScheduling;
  });
}

/** A volume with two replicas on n1, because no other node was available. */
async function crowded(nodes = ['n1', 'n2']): Promise<StorageWorld> {
  const soft = aSetting('replica-soft-anti-affinity', 'true');
  const volume = aVolume('vol', { numberOfReplicas: 2, replicaAutoBalance: 'least-effort' });
  const world = new StorageWorld({ nodes, objects: [volume, soft] });
  for (const node of nodes.slice(1)) allow(world, node, false);
  world.startAll();
  await world.clock.advanceUntil(() => world.state() === 'detached/unknown');
  world.attach('n1');
  await world.clock.advanceUntil(() => world.state() === 'attached/healthy');
  expect(nodesOf(world)).toEqual(['n1', 'n1']);
  expect(world.write()).toBe(true);
  return world;
}

/** Nodes of the replicas that stay. */
const nodesOf = (world: StorageWorld, volume = 'vol'): string[] =>
  world
    .replicas(volume)
    .filter(({ metadata }) => metadata.deletionTimestamp === undefined)
    .map(({ spec }) => spec.nodeID ?? '')
    .sort();

const coming = (world: StorageWorld) =>
  world.replicas().find(({ metadata }) => metadata.annotations?.[storageAnnotations.replaces] !== undefined);

describe('a volume with unbalanced replicas', () => {
  it('gets a replica on a node that became available before it loses another; afterwards nothing changes', async () => {
    const world = await crowded();
    allow(world, 'n2', true);
    let least = 2;
    await world.clock.advanceUntil(() => {
      const modes = Object.values(world.engine()?.status?.replicaModeMap ?? {});
      least = Math.min(least, modes.filter((mode) => mode === 'RW').length);
      return nodesOf(world).join() === 'n1,n2' && world.state() === 'attached/healthy';
    });
    expect(least).toBe(2);
    expect(world.write()).toBe(true);
    for (const { metadata } of world.replicas()) expect(world.lacking(metadata.name ?? '')).toEqual([]);
    await world.clock.advanceUntil(() => world.replicas().length === 2);
    const names = world.replicas().map(({ metadata }) => metadata.name);
    await world.clock.advance(3_600_000);
    expect(world.replicas().map(({ metadata }) => metadata.name)).toEqual(names);
  });

  it('keeps both when the new replica fails, builds one elsewhere, and removes the failed one after a while', async () => {
    const world = await crowded(['n1', 'n2', 'n3']);
    allow(world, 'n2', true);
    await world.clock.advanceUntil(() => coming(world) !== undefined);
    await world.setNode('n2', 'dead');
    await world.clock.advanceUntil(() => (coming(world)?.spec.failedAt ?? '') !== '');
    expect(world.state()).toBe('attached/healthy');
    allow(world, 'n3', true);
    await world.clock.advanceUntil(() => nodesOf(world).join() === 'n1,n2,n3', { withinMs: 300_000 });
    expect(world.state()).toBe('attached/healthy');
    await world.clock.advanceUntil(() => nodesOf(world).join() === 'n1,n3', { withinMs: 900_000 });
    expect(world.state()).toBe('attached/healthy');
  });

  it('is balanced although replicas of another volume cannot be built on the same node', async () => {
    const of = { numberOfReplicas: 2, replicaAutoBalance: 'least-effort' } as const;
    const soft = aSetting('replica-soft-anti-affinity', 'true');
    const world = new StorageWorld({ nodes: ['n1', 'n2'], objects: [aVolume('vol', of), aVolume('other', of), soft] });
    const { connect } = world;
    let tries = 0;
    world.connect = (peer) => {
      const { host, ...rest } = connect(peer);
      const engineAddReplica: InstanceHost['engineAddReplica'] = (request, o) => {
        if (request.engine !== 'vol-e-0') return host.engineAddReplica(request, o);
        tries += 1;
        throw hostError('NO_ROOM', 'nothing of it can be read');
      };
      return { ...rest, host: { ...host, engineAddReplica } };
    };
    allow(world, 'n2', false);
    world.startAll();
    for (const name of ['vol', 'other']) {
      await world.clock.advanceUntil(() => world.state(name) === 'detached/unknown');
      world.attach('n1', name);
      await world.clock.advanceUntil(() => world.state(name) === 'attached/healthy');
    }
    allow(world, 'n2', true);
    await world.clock.advanceUntil(() => nodesOf(world, 'other').join() === 'n1,n2', { withinMs: 300_000 });
    expect(tries).toBeGreaterThan(0);
    expect([world.state(), world.state('other')]).toEqual(['attached/healthy', 'attached/healthy']);
  });

  it('continues the move after its manager has died and the volume was detached', async () => {
    const world = await crowded();
    allow(world, 'n2', true);
    await world.clock.advanceUntil(() => coming(world) !== undefined);
    world.detach('n1');
    await world.stopAll();
    world.startAll();
    await world.clock.advanceUntil(() => world.volume()?.status?.state === 'detached');
    expect(nodesOf(world)).toEqual(['n1', 'n1', 'n2']);
    world.attach('n1');
    await world.clock.advanceUntil(() => nodesOf(world).join() === 'n1,n2' && world.state() === 'attached/healthy');
    for (const { metadata } of world.replicas()) expect(world.lacking(metadata.name ?? '')).toEqual([]);
  });
});
