import type { Clock } from '@lateen/kernel';
import { type BackupTarget, backupTargetType, type Replica, volumeType } from '@lateen/storage-types';
import { describe, expect, it } from 'vitest';
import { backupWorld, key } from './block-backup-world.ts';
import { aSetting, aVolume, namespace } from './storage-objects.ts';
import { StorageWorld } from './storage-world.ts';

/* The clocks of the machines are set forward or back by hours. Durations are measured correctly nevertheless. */

const hourMs = 3_600_000;
const leaps = [
  ['on', 8 * hourMs],
  ['back', -8 * hourMs],
] as const;

async function attached(start?: (world: StorageWorld) => void): Promise<StorageWorld> {
  const world = new StorageWorld({ objects: [aVolume('vol', { staleReplicaTimeout: 60 })] });
  if (start === undefined) world.startAll();
  else start(world);
  await world.clock.advanceUntil(() => world.state() === 'detached/unknown');
  world.attach('n1');
  await world.clock.advanceUntil(() => world.state() === 'attached/healthy');
  return world;
}

const namesOf = (replicas: readonly Replica[]): string[] => replicas.map(({ metadata }) => metadata.name ?? '').sort();

/** Changes the volume, so that it is reconciled. */
function wake({ cluster }: StorageWorld): void {
  cluster.change(volumeType, { namespace, name: 'vol' }, ({ metadata }) => {
    metadata.labels = { ...metadata.labels, seen: 'again' };
  });
}

/** Loses a node that has a replica and not the engine. */
async function loseOne(world: StorageWorld): Promise<string> {
  const node = world.replicas().find(({ spec }) => spec.nodeID !== 'n1')?.spec.nodeID ?? '';
  world.hosts.setNode(node, 'dead');
  expect(world.write()).toBe(true);
  await world.clock.advanceUntil(() => world.state() === 'attached/degraded');
  return node;
}

describe('a jump of all clocks', () => {
  it.each(leaps)('%s fails nothing, creates nothing and changes no owner of an attached volume', async (_title, ms) => {
    const world = await attached();
    const before = namesOf(world.replicas());
    const owner = world.volume()?.status?.ownerID;
    world.clock.leap(ms);
    await world.clock.advance(hourMs / 2);
    expect([world.state(), world.volume()?.status?.ownerID, namesOf(world.replicas())]).toEqual([
      'attached/healthy',
      owner,
      before,
    ]);
    expect(world.replicas().map(({ spec }) => spec.failedAt)).toEqual(['', '', '']);
    expect(world.write()).toBe(true);
    world.detach('n1');
    await world.clock.advanceUntil(() => world.state() === 'detached/unknown');
    world.attach('n2');
    await world.clock.advanceUntil(() => world.state() === 'attached/healthy');
  });

  it('forward, while a replica is missing, neither creates another one before the wait nor deletes the failed one', async () => {
    const world = await attached();
    const before = namesOf(world.replicas());
    const node = await loseOne(world);
    world.clock.leap(8 * hourMs);
    wake(world);
    await world.clock.advance(120_000);
    expect(namesOf(world.replicas())).toEqual(before);
    world.hosts.setNode(node, 'up');
    await world.clock.advanceUntil(() => world.state() === 'attached/healthy');
    expect(namesOf(world.replicas())).toEqual(before);
    for (const name of before) expect(world.lacking(name)).toEqual([]);
  });

  it('back, while a replica is missing, does not prevent the next one', async () => {
    const world = await attached();
    const node = await loseOne(world);
    world.clock.leap(-8 * hourMs);
    await world.setNode(node, 'dead');
    await world.clock.advanceUntil(() => world.state() === 'attached/healthy', { withinMs: 1_800_000 });
  });

  it('back, with managers that are restarted, does not prevent the next replica', async () => {
    const world = await attached();
    const node = await loseOne(world);
    await world.stopAll();
    world.clock.leap(-8 * hourMs);
    await world.setNode(node, 'dead');
    for (const each of world.nodes) if (each !== node) world.start(each);
    await world.clock.advanceUntil(() => world.state() === 'attached/healthy', { withinMs: 1_800_000 });
  });
});

describe('a jump of the clock of one manager', () => {
  it.each(leaps)('%s leaves an attached volume and its degraded time unchanged', async (_title, ms) => {
    let leapMs = 0;
    const world = await attached((made) => {
      const { clock } = made;
      const its: Clock = {
        now: () => clock.now() + leapMs,
        monotonicMs: () => clock.monotonicMs(),
        sleep: (...of) => clock.sleep(...of),
        deadline: (of) => clock.deadline(of),
      };
      for (const node of made.nodes) made.start(node, undefined, node === 'n1' ? its : clock);
    });
    const before = namesOf(world.replicas());
    leapMs = ms;
    await world.clock.advance(300_000);
    expect([world.state(), namesOf(world.replicas())]).toEqual(['attached/healthy', before]);
    const node = await loseOne(world);
    await world.clock.advance(60_000);
    expect(namesOf(world.replicas())).toEqual(before);
    world.hosts.setNode(node, 'up');
    await world.clock.advanceUntil(() => world.state() === 'attached/healthy');
  });
});

describe('a backup target', () => {
  it('is still synchronized after a jump back, and loses nothing after one forward', async () => {
    const world = backupWorld();
    const looked = () => world.cluster.find<BackupTarget>(backupTargetType, key('default'))?.status?.lastSyncedAt ?? '';
    await world.clock.advanceUntil(() => looked() !== '');
    world.cluster.put(aSetting('failed-backup-ttl', '60'));
    world.ask('backup-1', 'missing');
    await world.clock.advanceUntil(() => world.backup('backup-1')?.status?.state === 'Pending');
    world.clock.leap(8 * hourMs);
    await world.clock.advance(60_000);
    expect(world.backup('backup-1')?.status?.state).toBe('Pending');
    world.clock.leap(-16 * hourMs);
    const before = looked();
    await world.clock.advanceUntil(() => looked() !== before, { withinMs: 900_000 });
  });
});
