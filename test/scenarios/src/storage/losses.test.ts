import { nodeType } from '@lateen/api-types';
import { generationOf, type Setting, storageAnnotations, volumeType } from '@lateen/storage-types';
import { describe, expect, it } from 'vitest';
import { aSetting, aVolume, namespace } from './storage-objects.ts';
import { StorageWorld } from './storage-world.ts';

/** An attached volume with three replicas in use, one on the node of the engine. */
async function attached(node = 'n1', settings: readonly Setting[] = []): Promise<StorageWorld> {
  const soon = aSetting('replica-replenishment-wait-interval', '30');
  const world = new StorageWorld({ objects: [aVolume('vol'), soon, ...settings] });
  for (const each of ['n1', 'n2', 'n3', 'n4']) world.start(each);
  await world.clock.advanceUntil(() => world.state() === 'detached/unknown');
  world.attach(node);
  await world.clock.advanceUntil(() => world.state() === 'attached/healthy');
  expect(world.write()).toBe(true);
  return world;
}

const nodesInUse = (world: StorageWorld): (string | undefined)[] =>
  world
    .replicas()
    .filter(({ metadata }) => world.engine()?.status?.replicaModeMap?.[metadata.name ?? ''] === 'RW')
    .map(({ spec }) => spec.nodeID);

const nodesOf = (world: StorageWorld): string[] => world.replicas().map(({ spec }) => spec.nodeID ?? '');

describe('a volume', () => {
  it('keeps running degraded when a replica is lost, and becomes healthy with one elsewhere', async () => {
    const world = await attached();
    const node = nodesInUse(world).find((each) => each !== 'n1') ?? '';
    await world.setNode(node, 'dead');
    expect(world.write()).toBe(true);
    await world.clock.advanceUntil(() => world.state() === 'attached/degraded');
    await world.clock.advanceUntil(() => world.state() === 'attached/healthy', { withinMs: 1_200_000 });
    expect(nodesInUse(world)).not.toContain(node);
    for (const { metadata } of world.replicas())
      if (world.engine()?.status?.replicaModeMap?.[metadata.name ?? ''] === 'RW')
        expect(world.lacking(metadata.name ?? '')).toEqual([]);
  });

  it('uses a replica again whose node was away for a short time, and copies what is missing', async () => {
    const world = await attached();
    const node = nodesInUse(world).find((each) => each !== 'n1') ?? '';
    world.hosts.setNode(node, 'dead');
    expect(world.write()).toBe(true);
    await world.clock.advanceUntil(() => world.state() === 'attached/degraded');
    world.hosts.setNode(node, 'up');
    await world.clock.advanceUntil(() => world.state() === 'attached/healthy');
    expect(world.replicas().length).toBe(3);
    for (const { metadata } of world.replicas()) expect(world.lacking(metadata.name ?? '')).toEqual([]);
  });

  it.each([
    ['at most the one that its head is based on', 'true', 1],
    ['all when they are not cleaned up', 'false', 3],
  ])('keeps of the snapshots of three rebuilds %s', async (_, cleanUp, kept) => {
    const world = await attached('n1', [aSetting('auto-cleanup-system-generated-snapshot', cleanUp)]);
    const node = nodesInUse(world).find((each) => each !== 'n1') ?? '';
    for (let rebuild = 0; rebuild < 3; rebuild++) {
      world.hosts.setNode(node, 'dead');
      expect(world.write()).toBe(true);
      await world.clock.advanceUntil(() => world.state() === 'attached/degraded');
      world.hosts.setNode(node, 'up');
      await world.clock.advanceUntil(() => world.state() === 'attached/healthy');
      await world.clock.advance(30_000);
    }
    for (const disk of world.hosts.disks.values()) expect(disk.snapshots).toHaveLength(kept);
  });

  it('is attached elsewhere when its node is lost: with a later generation, after the read lease of the unreachable engine', async () => {
    const world = await attached();
    const before = generationOf(world.engine() ?? { metadata: {} }) ?? 0;
    await world.setNode('n1', 'cut');
    const since = world.clock.now();
    // The ticket of a node that does not answer stays until the node is marked out of service.
    expect(world.attachment()?.spec.attachmentTickets?.['csi-n1']).toBeDefined();
    world.cluster.change(nodeType, { name: 'n1' }, (node) => {
      node.spec = { ...node.spec, taints: [{ key: 'node.kubernetes.io/out-of-service', effect: 'NoExecute' }] };
    });
    world.attach('n2');
    await world.clock.advanceUntil(() => world.volume()?.status?.currentNodeID === 'n2');
    expect(world.clock.now() - since).toBeGreaterThan(10_000);
    expect(generationOf(world.engine() ?? { metadata: {} })).toBeGreaterThan(before);
    // The engine that was cut off may still run; its record tells it that its generation is over before it answers.
    const [old, next] = ['n1', 'n2'].map((node) => world.hosts.node(node).engines.get('vol-e-0'));
    expect(old?.write(1_000)).toBe(false);
    expect(next?.state).toBe('running');
    expect(world.write()).toBe(true);
    for (const name of Object.keys(world.engine()?.spec.replicaAddressMap ?? {}))
      if (world.engine()?.status?.replicaModeMap?.[name] === 'RW') expect(world.lacking(name)).toEqual([]);
  });

  it('starts without a replica that has a truncated file, reports the cause, and rebuilds it', async () => {
    const world = await attached();
    world.detach('n1');
    await world.clock.advanceUntil(() => world.state() === 'detached/unknown');
    const [{ metadata: { name = '' } = {} } = {}] = world.replicas();
    const damage = 'layer-0.qcow2 was cut short: it has 4096 bytes on disk, and had 8192';
    const disk = world.hosts.disks.get(name);
    if (disk === undefined) throw new Error(`${name} has no disk`);
    disk.damage = damage;
    world.attach('n1');
    await world.clock.advanceUntil(() => world.volume()?.status?.state === 'attached');
    expect(world.engine()?.status?.replicaModeMap?.[name]).not.toBe('RW');
    expect(world.write()).toBe(true);
    const causes = world.replicas().map(({ metadata }) => metadata.annotations?.[storageAnnotations.failureCause]);
    expect(causes).toContainEqual(expect.stringContaining(`${name} is damaged: ${damage}`));
    await world.clock.advanceUntil(() => world.state() === 'attached/healthy', { withinMs: 1_200_000 });
    expect(nodesInUse(world)).toHaveLength(3);
    expect(disk.damage).toBeUndefined();
    for (const { metadata } of world.replicas()) expect(world.lacking(metadata.name ?? '')).toEqual([]);
  });

  it('is deleted when a node with one of its replicas was removed from the cluster', async () => {
    const world = await attached();
    world.detach('n1');
    await world.clock.advanceUntil(() => world.state() === 'detached/unknown');
    expect(world.replicas().map(({ spec }) => spec.nodeID)).toContain('n1');
    await world.setNode('n1', 'dead');
    await world.cluster.delete(nodeType, { name: 'n1' });
    await world.cluster.delete(volumeType, { namespace, name: 'vol' });
    await world.clock.advanceUntil(() => world.volume() === undefined);
    expect([world.engine(), ...world.replicas()]).toEqual([undefined]);
  });

  it('is deleted after a start that was given up because no replica answered', async () => {
    const world = await attached();
    world.detach('n1');
    await world.clock.advanceUntil(() => world.state() === 'detached/unknown');
    for (const node of ['n1', 'n2', 'n3', 'n4']) if (nodesOf(world).includes(node)) await world.setNode(node, 'dead');
    const free = world.nodes.find((node) => !nodesOf(world).includes(node)) ?? '';
    world.attach(free);
    await world.clock.advanceUntil(() => world.volume()?.status?.state === 'attaching');
    world.detach(free);
    await world.clock.advanceUntil(() => world.volume()?.status?.state === 'detached');
    for (const node of nodesOf(world)) await world.setNode(node, 'up');
    await world.cluster.delete(volumeType, { namespace, name: 'vol' });
    await world.clock.advanceUntil(() => world.volume() === undefined);
  });

  it('starts again when its engine dies', async () => {
    const world = await attached();
    world.hosts.node('n1').engines.get('vol-e-0')?.kill();
    await world.clock.advanceUntil(() => world.state() !== 'attached/healthy');
    await world.clock.advanceUntil(() => world.state() === 'attached/healthy');
    expect(world.write()).toBe(true);
  });

  it('comes back after all nodes were lost at once', async () => {
    const world = await attached();
    for (const node of world.nodes) world.hosts.setNode(node, 'dead');
    await world.clock.advance(60_000);
    for (const node of world.nodes) world.hosts.setNode(node, 'up');
    await world.clock.advanceUntil(() => world.state() !== 'attached/healthy');
    await world.clock.advanceUntil(() => world.state() === 'attached/healthy', { withinMs: 1_800_000 });
    expect(world.write()).toBe(true);
  });

  it('keeps serving while the API server is not reachable, and stops serving when it then loses a replica', async () => {
    const world = await attached();
    world.hosts.records.away = true;
    const off = world.cluster.intercept(async ({ verb }, next) => {
      if (verb === 'watch') return await next();
      throw new Error('the API server is away');
    });
    await world.clock.advance(120_000);
    expect(world.write()).toBe(true);
    const node = nodesInUse(world).find((each) => each !== 'n1') ?? '';
    world.hosts.setNode(node, 'dead');
    expect(world.write()).toBe(false);
    await world.clock.advance(60_000);
    off();
    world.hosts.records.away = false;
    expect(world.write()).toBe(true);
    world.hosts.setNode(node, 'up');
    await world.clock.advanceUntil(() => world.state() === 'attached/healthy', { withinMs: 1_800_000 });
  });
});

describe('managers', () => {
  it('take over: volumes of the manager of a lost node continue elsewhere', async () => {
    const world = new StorageWorld({ objects: [aVolume('vol')] });
    const first = world.start('n1');
    await world.clock.advanceUntil(() => world.state() === 'detached/unknown');
    expect(world.volume()?.status?.ownerID).toBe('n1');
    world.start('n2');
    world.start('n3');
    await first.stop();
    world.attach('n3');
    await world.clock.advanceUntil(() => world.volume()?.status?.state === 'attached');
    expect(world.volume()?.status?.ownerID).toBe('n3');
    for (const { spec, status } of world.replicas()) if (spec.nodeID === 'n1') expect(status?.ownerID).not.toBe('n1');
  });

  it('complete a rebuild when the manager that started it has died', async () => {
    const world = new StorageWorld({
      objects: [aVolume('vol'), aSetting('replica-replenishment-wait-interval', '30')],
    });
    const managers = world.nodes.map((node) => world.start(node));
    await world.clock.advanceUntil(() => world.state() === 'detached/unknown');
    world.attach('n1');
    await world.clock.advanceUntil(() => world.state() === 'attached/healthy');
    const node = nodesInUse(world).find((each) => each !== 'n1') ?? '';
    world.hosts.setNode(node, 'dead');
    world.write();
    await world.clock.advanceUntil(() => world.state() === 'attached/degraded');
    world.hosts.setNode(node, 'up');
    await world.clock.advanceUntil(() => world.hosts.engineOf('vol')?.rebuild !== undefined);
    await managers[0]?.stop();
    world.start('n1');
    await world.clock.advanceUntil(() => world.state() === 'attached/healthy', { withinMs: 1_200_000 });
    for (const { metadata } of world.replicas()) expect(world.lacking(metadata.name ?? '')).toEqual([]);
  });
});
