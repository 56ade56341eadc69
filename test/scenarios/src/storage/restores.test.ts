import { backupType, volumeType } from '@lateen/storage-types';
import { describe, expect, it } from 'vitest';
import type { Death } from '../world/mortal-kube.ts';
import { aBackupTarget, aFoundBackup, aVolume, backupUrlOf, namespace } from './storage-objects.ts';
import { StorageWorld } from './storage-world.ts';

const fromBackup = backupUrlOf('backup-1');
const kinds = new Set(['Volume', 'Engine', 'Replica', 'VolumeAttachment', 'Snapshot']);

function restoreWorld(spec = {}): StorageWorld {
  const objects = [
    aBackupTarget(),
    aFoundBackup('backup-1', '2029-12-01T00:00:00Z'),
    aVolume('vol', { fromBackup, ...spec }),
  ];
  const world = new StorageWorld({ nodes: ['n1', 'n2', 'n3'], objects });
  world.hosts.backups.set('backup-1', [9001, 9002, 9003, 9004, 9005, 9006, 9007]);
  return world;
}

/** Until all of the backup is restored, only the restore has the volume attached, and there is no device. */
function checkNeverSeen(world: StorageWorld, name = 'vol'): void {
  const volume = world.volume(name);
  if (volume === undefined || volume.status?.restoreRequired === false) return;
  for (const engine of world.hosts.enginesOf(name)) expect(engine.frontend).toBe(false);
  const { attachmentTicketStatuses = {} } = world.attachment(name)?.status ?? {};
  for (const [id, { satisfied }] of Object.entries(attachmentTicketStatuses))
    if (id.startsWith('csi')) expect(satisfied).toBe(false);
}

async function until(world: StorageWorld, condition: () => boolean, between: () => void = () => {}): Promise<void> {
  while (!condition()) {
    await world.clock.advance(Math.min(world.clock.nextDueInMs ?? 1_000, 60_000));
    checkNeverSeen(world);
    between();
    if (world.clock.monotonicMs() > 7_200_000) throw new Error(`two hours have passed: ${world.state()}, ${condition}`);
  }
}

const isRestored = (world: StorageWorld) => () =>
  world.volume()?.status?.restoreRequired === false && world.state() === 'detached/unknown';

const conditionOf = (world: StorageWorld) => world.volume()?.status?.conditions?.find(({ type }) => type === 'Restore');

function contents(world: StorageWorld, name = 'vol'): readonly (readonly number[])[] {
  const whole = world.replicas(name).filter(({ spec }) => (spec.healthyAt ?? '') !== '');
  return whole.map(({ metadata }) => {
    return [...(world.hosts.disks.get(metadata.name ?? '')?.written ?? [])].sort((a, b) => a - b);
  });
}

const wanted = (world: StorageWorld, backup: string) => [...(world.hosts.backups.get(backup) ?? [])];

describe('a volume from a backup', () => {
  it('is attached with its own ticket, filled, detached, and then attached for the pod that waits for it', async () => {
    const world = restoreWorld();
    world.startAll();
    await until(world, () => world.attachment() !== undefined);
    world.attach('n2');
    const states = new Set<string>();
    const isThere = () => world.volume()?.status?.restoreRequired === false;
    await until(world, isThere, () => states.add(conditionOf(world)?.reason ?? ''));
    expect([...states]).toContain('RestoreInProgress');
    expect(conditionOf(world)).toMatchObject({ status: 'False', reason: '' });
    for (const content of contents(world)) expect(content).toEqual(wanted(world, 'backup-1'));
    expect(world.engine()).toMatchObject({
      spec: { requestedBackupRestore: '', backupVolume: 'source' },
      status: { lastRestoredBackup: 'backup-1' },
    });
    await until(world, () => world.state() === 'attached/healthy');
    expect(world.engine()?.spec.nodeID).toBe('n2');
    expect(world.write()).toBe(true);
    expect(world.hosts.calls().filter((name) => name === 'startRestore')).toHaveLength(1);
  });

  it('has the size of the volume that was backed up', async () => {
    const world = restoreWorld({ size: '2097152' });
    world.startAll();
    await until(world, isRestored(world));
    expect(world.volume()?.spec.size).toBe(String(1024 ** 3));
    expect(world.replicas().every(({ spec }) => spec.volumeSize === String(1024 ** 3))).toBe(true);
  });

  it('reports why a restore fails, and continues when the cause is corrected', async () => {
    const world = restoreWorld();
    const blocks = wanted(world, 'backup-1');
    world.hosts.backups.delete('backup-1');
    world.startAll();
    await until(world, () => conditionOf(world)?.reason === 'RestoreFailure');
    expect(conditionOf(world)?.message).toContain('backup backup-1 is not on the target');
    await world.clock.advance(3_600_000);
    expect(world.hosts.calls().filter((name) => name === 'startRestore').length).toBeLessThan(40);
    world.hosts.backups.set('backup-1', blocks);
    await until(world, isRestored(world));
    for (const content of contents(world)) expect(content).toEqual(blocks);
  });

  it.each([
    ['s3://elsewhere@here/?backup=backup-1&volume=source', 'no backup target has the URL of s3://elsewhere@here/'],
    ['s3://bucket@here/path/?volume=source', 'names no backup'],
  ])('from %s reports: %s; nothing is restored', async (url, message) => {
    const world = restoreWorld({ fromBackup: url });
    world.startAll();
    await until(world, () => conditionOf(world)?.reason === 'RestoreFailure');
    await world.clock.advance(600_000);
    expect(conditionOf(world)?.message).toContain(message);
    expect(world.hosts.calls()).not.toContain('startRestore');
  });

  it('can be deleted during the restore, with everything that was created for it', async () => {
    const world = restoreWorld();
    world.startAll();
    await until(world, () => world.hosts.calls().includes('startRestore'));
    await world.cluster.delete(volumeType, { namespace, name: 'vol' });
    await until(world, () => world.volume() === undefined);
    await world.clock.advance(60_000);
    expect(world.cluster.everything().filter(({ kind }) => kinds.has(kind ?? ''))).toEqual([]);
    expect([...world.hosts.disks]).toEqual([]);
    expect([...world.hosts.hosts.values()].flatMap((host) => host.transfers.names)).toEqual([]);
  });

  it.each(['engine', 'node', 'replica'])(
    'is restored from the beginning when its %s is killed during the restore',
    async (what) => {
      const world = restoreWorld();
      world.startAll();
      await until(world, () => world.hosts.calls().includes('startRestore'));
      await world.clock.advance(5_000);
      const node = world.engine()?.spec.nodeID ?? '';
      if (what === 'engine') world.hosts.engineOf('vol')?.kill();
      if (what === 'replica') world.hosts.node(node).killReplica(world.hosts.node(node).replicas[0] ?? '');
      if (what === 'node') {
        await world.setNode(node, 'dead');
        await world.clock.advance(60_000);
        await world.setNode(node, 'up');
      }
      await until(world, isRestored(world));
      world.attach('n2');
      await until(world, () => world.state() === 'attached/healthy');
      for (const content of contents(world)) expect(content).toEqual(wanted(world, 'backup-1'));
    },
  );
});

describe('a manager that dies between two writes of a restore', () => {
  async function life(death?: Death): Promise<number> {
    const world = restoreWorld();
    const { life: first } = world.start('n1', death);
    world.start('n2');
    world.start('n3');
    let restarted = false;
    const restart = () => {
      if (!first.dead || restarted) return;
      restarted = true;
      world.start('n1');
    };
    await until(world, isRestored(world), restart);
    for (const content of contents(world)) expect(content).toEqual(wanted(world, 'backup-1'));
    world.attach('n1');
    await until(world, () => world.state() === 'attached/healthy', restart);
    expect(world.write()).toBe(true);
    await world.stopAll();
    return first.writes;
  }
  it('leaves nothing that the next one does not complete', async () => {
    const writes = await life();
    expect(writes).toBeGreaterThan(10);
    const step = process.env.LATEEN_EVERY_DEATH === undefined ? 7 : 1;
    for (let atWrite = 0; atWrite < writes; atWrite += step) {
      await life({ atWrite, when: 'before' });
      await life({ atWrite: atWrite + Math.floor(step / 2), when: 'after' });
    }
  });
});

it('keeps backups that volumes were created from', async () => {
  const world = restoreWorld();
  world.startAll();
  await until(world, isRestored(world));
  expect(world.cluster.all(backupType, namespace)).toHaveLength(1);
});
