import { type BackupTarget, backupTargetType, backupType, type Volume, volumeType } from '@lateen/storage-types';
import { describe, expect, it } from 'vitest';
import { aBackupTarget, aFoundBackup, aVolume, backupUrlOf, namespace } from './storage-objects.ts';
import { StorageWorld } from './storage-world.ts';

const blocks = {
  'backup-1': [9001, 9002, 9003, 9004, 9005],
  'backup-2': [9001, 9003, 9004, 9005, 9106, 9107],
  'backup-3': [9001, 9106, 9107, 9208],
} as const;
type BackupName = keyof typeof blocks;

function standbyWorld(): StorageWorld {
  const spec = { fromBackup: backupUrlOf('backup-1'), Standby: true, frontend: '' as const };
  const objects = [aBackupTarget(), aFoundBackup('backup-1', '2029-12-01T00:00:00Z'), aVolume('vol', spec)];
  const world = new StorageWorld({ nodes: ['n1', 'n2', 'n3'], objects });
  for (const [name, ids] of Object.entries(blocks)) world.hosts.backups.set(name, ids);
  world.startAll();
  return world;
}

async function until(world: StorageWorld, condition: () => boolean): Promise<void> {
  const endsMs = world.clock.monotonicMs() + 7_200_000;
  while (!condition()) {
    await world.clock.advance(Math.min(world.clock.nextDueInMs ?? 1_000, 60_000));
    if (world.clock.monotonicMs() > endsMs) throw new Error(`two hours have passed: ${world.state()}, ${condition}`);
    if (world.volume()?.status?.restoreRequired === false) continue;
    for (const engine of world.hosts.enginesOf('vol')) expect(engine.frontend).toBe(false);
  }
}

/** The result of synchronizing the target. */
const found = (world: StorageWorld, name: BackupName, takenAt: string) =>
  world.cluster.put(aFoundBackup(name, takenAt));

function activate(world: StorageWorld): void {
  world.cluster.change<Volume>(volumeType, { namespace, name: 'vol' }, ({ spec }) => {
    spec.Standby = false;
    spec.frontend = 'blockdev';
  });
}

const holds = (world: StorageWorld, name: BackupName) => () => world.engine()?.status?.lastRestoredBackup === name;
function expectContents(world: StorageWorld, name: BackupName): void {
  for (const { metadata } of world.replicas()) {
    const written = world.hosts.disks.get(metadata.name ?? '')?.written ?? new Set<number>();
    expect([...written].sort((a, b) => a - b)).toEqual([...blocks[name]]);
  }
}

const restores = (world: StorageWorld) => world.hosts.calls().filter((name) => name === 'startRestore').length;

describe('a standby volume', () => {
  it('restores each newer backup of the volume that it follows, and never an older one', async () => {
    const world = standbyWorld();
    await until(world, holds(world, 'backup-1'));
    expectContents(world, 'backup-1');
    found(world, 'backup-2', '2029-12-02T00:00:00Z');
    await until(world, holds(world, 'backup-2'));
    expectContents(world, 'backup-2');
    expect(world.volume()?.status).toMatchObject({ restoreRequired: true, isStandby: true, state: 'attached' });
    const before = restores(world);
    await world.cluster.delete(backupType, { namespace, name: 'backup-2' });
    found(world, 'backup-3', '2029-11-01T00:00:00Z');
    await world.clock.advance(3_600_000);
    expect(restores(world)).toBe(before);
    expectContents(world, 'backup-2');
  });

  it('completes a restore before it starts the next one', async () => {
    const world = standbyWorld();
    await until(world, () => restores(world) === 1);
    found(world, 'backup-2', '2029-12-02T00:00:00Z');
    found(world, 'backup-3', '2029-12-03T00:00:00Z');
    await until(world, holds(world, 'backup-3'));
    expect(restores(world)).toBe(2);
    expectContents(world, 'backup-3');
  });

  it('is written completely when the backup that was being restored is gone from the target', async () => {
    const world = standbyWorld();
    await until(world, () => restores(world) === 1);
    await world.clock.advance(5_000);
    world.hosts.backups.delete('backup-1');
    world.hosts.engineOf('vol')?.kill();
    await world.cluster.delete(backupType, { namespace, name: 'backup-1' });
    found(world, 'backup-3', '2029-12-03T00:00:00Z');
    await until(world, holds(world, 'backup-3'));
    expectContents(world, 'backup-3');
  });

  it('cannot be attached until it is activated, and is then attached with the last backup', async () => {
    const world = standbyWorld();
    await until(world, holds(world, 'backup-1'));
    world.attach('n2');
    await world.clock.advance(60_000);
    const ticket = world.attachment()?.status?.attachmentTicketStatuses?.['csi-n2'];
    expect(ticket).toMatchObject({ satisfied: false, conditions: [{ reason: 'ContentPending' }] });
    found(world, 'backup-2', '2029-12-02T00:00:00Z');
    activate(world);
    await until(world, () => world.state() === 'attached/healthy' && world.volume()?.status?.restoreRequired === false);
    expectContents(world, 'backup-2');
    expect(world.volume()?.status?.isStandby).toBe(false);
    await until(world, () => world.engine()?.spec.nodeID === 'n2' && world.write());
    found(world, 'backup-3', '2029-12-03T00:00:00Z');
    await world.clock.advance(3_600_000);
    expect(restores(world)).toBe(2);
  });

  it('is activated with its current data when the target is gone', async () => {
    const world = standbyWorld();
    await until(world, holds(world, 'backup-1'));
    found(world, 'backup-2', '2029-12-02T00:00:00Z');
    world.hosts.backups.delete('backup-2');
    world.cluster.change<BackupTarget>(backupTargetType, { namespace, name: 'default' }, (target) => {
      target.status = { available: false };
    });
    activate(world);
    await until(world, () => world.state() === 'detached/unknown');
    expectContents(world, 'backup-1');
  });
});
