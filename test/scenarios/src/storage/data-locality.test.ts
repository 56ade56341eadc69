import { eventType } from '@lateen/api-types';
import { type LonghornNode, longhornNodeType, type VolumeSpec } from '@lateen/storage-types';
import { describe, expect, it } from 'vitest';
import { aVolume, GiB, namespace } from './storage-objects.ts';
import { StorageWorld } from './storage-world.ts';

const refused = 'LocalReplicaSchedulingFailure';

function change(world: StorageWorld, node: string, how: (node: LonghornNode) => void): void {
  world.cluster.change<LonghornNode>(longhornNodeType, { namespace, name: node }, how);
}

const allow = (world: StorageWorld, node: string, allowScheduling: boolean) =>
  change(world, node, ({ spec }) => {
    spec.allowScheduling = allowScheduling;
  });

const setFree = (world: StorageWorld, node: string, storageAvailable: number) =>
  change(world, node, ({ status }) => {
    for (const disk of Object.values(status?.diskStatus ?? {})) disk.storageAvailable = storageAvailable;
  });

/** Nodes of the replicas that stay. */
const nodesOf = (world: StorageWorld): string[] =>
  world
    .replicas()
    .filter(({ metadata }) => metadata.deletionTimestamp === undefined)
    .map(({ spec }) => spec.nodeID ?? '')
    .sort();

const isLocalOn = (world: StorageWorld, node: string) =>
  world.state() === 'attached/healthy' && world.replicas().length === 2 && nodesOf(world).includes(node);

const refusals = (world: StorageWorld) =>
  world.cluster.all(eventType, namespace).filter(({ reason }) => reason === refused);

const scheduled = (world: StorageWorld) => world.volume()?.status?.conditions?.find(({ type }) => type === 'Scheduled');

/** Two replicas of a volume, one on the node where it is attached. */
async function attachedTo(node: string, spec: Partial<VolumeSpec> = {}): Promise<StorageWorld> {
  const volume = aVolume('vol', { numberOfReplicas: 2, dataLocality: 'best-effort', ...spec });
  const world = new StorageWorld({ nodes: ['n1', 'n2', 'n3'], objects: [volume] });
  allow(world, 'n3', false);
  world.startAll();
  await world.clock.advanceUntil(() => world.volume()?.status?.state === 'detached');
  world.attach(node);
  await world.clock.advanceUntil(() => world.state() === 'attached/healthy');
  expect(nodesOf(world)).toEqual(['n1', 'n2']);
  expect(world.write()).toBe(true);
  return world;
}

async function movePod(world: StorageWorld, from: string, to: string, state = 'attached/healthy'): Promise<void> {
  world.detach(from);
  await world.clock.advanceUntil(() => world.volume()?.status?.state === 'detached');
  world.attach(to);
  await world.clock.advanceUntil(() => world.state() === state);
}

describe('a volume with best-effort data locality', () => {
  it.each(['disabled', 'best-effort'] as const)(
    'gets a replica on the new node of its pod before it loses another, with auto-balance %s',
    async (replicaAutoBalance) => {
      const world = await attachedTo('n1', { replicaAutoBalance });
      allow(world, 'n3', true);
      world.detach('n1');
      await world.clock.advanceUntil(() => world.volume()?.status?.state === 'detached');
      world.attach('n3');
      let least = 2;
      await world.clock.advanceUntil(() => {
        const engine = world.engine();
        const modes = Object.values(engine?.status?.replicaModeMap ?? {});
        if (engine?.status?.currentState === 'running' && world.state() === 'attached/healthy')
          least = Math.min(least, modes.filter((mode) => mode === 'RW').length);
        return isLocalOn(world, 'n3');
      });
      expect(least).toBe(2);
      expect(world.write()).toBe(true);
      for (const { metadata } of world.replicas()) expect(world.lacking(metadata.name ?? '')).toEqual([]);
      const names = world.replicas().map(({ metadata }) => metadata.name);
      await world.clock.advance(3_600_000);
      expect(world.replicas().map(({ metadata }) => metadata.name)).toEqual(names);
      expect(refusals(world)).toEqual([]);
    },
  );

  it('keeps its replicas while the node accepts none, reports that once, and moves one when there is room', async () => {
    const world = await attachedTo('n1');
    setFree(world, 'n3', 0);
    allow(world, 'n3', true);
    await movePod(world, 'n1', 'n3');
    await world.clock.advanceUntil(() => refusals(world).length > 0);
    await world.clock.advance(1_800_000);
    expect(nodesOf(world)).toEqual(['n1', 'n2']);
    expect(scheduled(world)).toMatchObject({
      status: 'True',
      reason: refused,
      message: expect.stringContaining('insufficient storage (disk main of n3 '),
    });
    expect(refusals(world).map(({ count = 1 }) => count)).toEqual([1]);
    setFree(world, 'n3', 100_000 * GiB);
    await world.clock.advanceUntil(() => isLocalOn(world, 'n3'), { withinMs: 1_800_000 });
    await world.clock.advanceUntil(() => scheduled(world)?.reason === '');
  });

  it('gets no additional replica while it is degraded; the missing replica is created on the node of the pod', async () => {
    const world = await attachedTo('n1');
    await world.setNode('n2', 'dead');
    expect(world.write()).toBe(true);
    await world.clock.advanceUntil(() => world.state() === 'attached/degraded');
    await movePod(world, 'n1', 'n3', 'attached/degraded');
    await world.clock.advance(300_000);
    expect(world.state()).toBe('attached/degraded');
    expect(nodesOf(world)).toEqual(['n1', 'n2']);
    allow(world, 'n3', true);
    await world.clock.advanceUntil(() => world.state() === 'attached/healthy', { withinMs: 3_600_000 });
    expect(nodesOf(world).filter((node) => node !== 'n2')).toEqual(['n1', 'n3']);
    await world.clock.advance(3_600_000);
    expect(nodesOf(world).filter((node) => node !== 'n2')).toEqual(['n1', 'n3']);
    expect(world.state()).toBe('attached/healthy');
  });
});
