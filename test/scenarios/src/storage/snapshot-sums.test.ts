import { eventType } from '@lateen/api-types';
import { settingType, snapshotType } from '@lateen/storage-types';
import { describe, expect, it } from 'vitest';
import { aSetting, aVolume, namespace } from './storage-objects.ts';
import { StorageWorld } from './storage-world.ts';

const atOnce = aSetting('snapshot-data-integrity-immediate-check-after-snapshot-creation', 'true');

/** An attached volume with one write, whose snapshots are compared as the settings say. */
async function attached(numberOfReplicas: number, settings = [atOnce]): Promise<StorageWorld> {
  const world = new StorageWorld({ objects: [aVolume('vol', { numberOfReplicas }), ...settings] });
  world.startAll();
  await world.clock.advanceUntil(() => world.state() === 'detached/unknown');
  world.attach('n1');
  await world.clock.advanceUntil(() => world.state() === 'attached/healthy');
  expect(world.write()).toBe(true);
  return world;
}

const statusOf = (world: StorageWorld, name: string) =>
  world.cluster.find(snapshotType, { namespace, name })?.status ?? {};
const failed = (world: StorageWorld) => world.replicas().filter(({ spec }) => (spec.failedAt ?? '') !== '');
const reasons = (world: StorageWorld) => world.cluster.all(eventType, namespace).map(({ reason }) => reason);

async function snapshot(world: StorageWorld, name: string): Promise<void> {
  await world.cluster.create(snapshotType, {
    apiVersion: 'longhorn.io/v1beta2',
    kind: 'Snapshot',
    metadata: { name, namespace, labels: { longhornvolume: 'vol' } },
    spec: { volume: 'vol', createSnapshot: true },
  });
  await world.clock.advanceUntil(() => statusOf(world, name).readyToUse === true);
}

/** Changes the data of a snapshot of one replica without notice. */
function corrupt(world: StorageWorld, replica: string): void {
  const { snapshots } = world.hosts.disks.get(replica) ?? { snapshots: [] };
  const [first] = snapshots;
  if (first === undefined) throw new Error(`${replica} has no snapshot`);
  snapshots[0] = { ...first, ids: new Set([...first.ids, 1_000_000]) };
}

const sums = (world: StorageWorld) => world.hosts.calls().filter((call) => call === 'snapshotSum').length;

describe('snapshots of replicas', () => {
  it('are compared when they are taken, and the common checksum is in status', async () => {
    const world = await attached(3);
    await snapshot(world, 's1');
    await world.clock.advanceUntil(() => (statusOf(world, 's1').checksum ?? '') !== '');
    expect(statusOf(world, 's1').checksumCalculatedAt).not.toBe('');
    await world.clock.advance(300_000);
    expect([sums(world), failed(world)]).toEqual([3, []]);
  });

  it('are compared on schedule: the replica that differs from the majority fails and is rebuilt', async () => {
    const world = await attached(3, [aSetting('snapshot-data-integrity-cronjob', '@every 10m')]);
    await snapshot(world, 's1');
    const [, bad] = world.replicas().map(({ metadata }) => metadata.name ?? '');
    corrupt(world, bad ?? '');
    await world.clock.advance(300_000);
    expect(sums(world)).toBe(0);
    await world.clock.advanceUntil(() => reasons(world).includes('ChecksumDiffers'));
    await world.clock.advanceUntil(() => world.state() === 'attached/degraded');
    await world.clock.advanceUntil(() => world.state() === 'attached/healthy');
    await world.clock.advanceUntil(() => (statusOf(world, 's1').checksum ?? '') !== '');
    const { checksum } = statusOf(world, 's1');
    for (const { metadata } of world.replicas()) {
      const disk = world.hosts.disks.get(metadata.name ?? '');
      expect(disk?.snapshots.find(({ name }) => name === 's1')?.ids.has(1_000_000)).toBe(false);
      expect(disk?.sumOf({ snapshot: 's1', layerAlone: true })).toBe(checksum);
    }
    expect(world.replicas()).toHaveLength(3);
  });

  it.each([
    ['fast-check', 0],
    ['enabled', 3],
  ])('are read again with setting %s by %i unchanged replicas, and by one that has changed', async (mode, reads) => {
    const every = aSetting('snapshot-data-integrity-cronjob', '@every 10m');
    const world = await attached(3, [atOnce, every, aSetting('snapshot-data-integrity', mode)]);
    await snapshot(world, 's1');
    const calculatedAt = () => statusOf(world, 's1').checksumCalculatedAt ?? '';
    await world.clock.advanceUntil(() => calculatedAt() !== '');
    const read = () => [...world.hosts.disks.values()].flatMap(({ summed }) => summed).length;
    expect(read()).toBe(3);
    const next = async () => {
      const before = calculatedAt();
      await world.clock.advanceUntil(() => calculatedAt() !== before, { withinMs: 900_000 });
    };
    await next();
    expect(read()).toBe(3 + reads);
    const [, bad] = world.replicas().map(({ metadata }) => metadata.name ?? '');
    corrupt(world, bad ?? '');
    await next();
    expect(reasons(world)).toContain('ChecksumDiffers');
    await world.clock.advanceUntil(() => world.state() === 'attached/degraded');
    await world.clock.advanceUntil(() => world.state() === 'attached/healthy');
    // The rebuilt replica is read, also with fast-check.
    const summed = world.hosts.disks.get(bad ?? '')?.summed ?? [];
    const before = summed.length;
    await next();
    expect(summed.length).toBeGreaterThan(before);
  });

  it('of two replicas that differ fail no replica, and are reported once', async () => {
    const world = await attached(2, [aSetting('snapshot-data-integrity-cronjob', '@every 10m')]);
    await snapshot(world, 's1');
    corrupt(world, world.replicas()[0]?.metadata.name ?? '');
    await world.clock.advanceUntil(() => (statusOf(world, 's1').checksumCalculatedAt ?? '') !== '');
    await world.clock.advance(60_000);
    expect([world.state(), failed(world), statusOf(world, 's1').checksum ?? '']).toEqual(['attached/healthy', [], '']);
    expect(reasons(world)).toContain('ChecksumsDiffer');
    expect(sums(world)).toBe(4);
  });

  it('with other layers and the same content are equal', async () => {
    const world = await attached(3, []);
    await snapshot(world, 's1');
    expect(world.write()).toBe(true);
    await snapshot(world, 's2');
    // One replica has already merged the first into the second, so its second layer has the writes of both.
    const [ahead] = world.replicas().map(({ metadata }) => metadata.name ?? '');
    world.hosts.disks.get(ahead ?? '')?.snapshots.shift();
    await world.cluster.delete(snapshotType, { namespace, name: 's1' });
    await world.cluster.create(settingType, atOnce);
    await world.clock.advanceUntil(() => (statusOf(world, 's2').checksum ?? '') !== '');
    expect([world.state(), failed(world)]).toEqual(['attached/healthy', []]);
    // For each replica first the layer, and then the content.
    expect(sums(world)).toBe(6);
  });

  it('are not compared when that is disabled', async () => {
    const world = await attached(3, [atOnce, aSetting('snapshot-data-integrity', 'disabled')]);
    await snapshot(world, 's1');
    await world.clock.advance(600_000);
    expect(sums(world)).toBe(0);
  });
});
