import { type KubeObject, namespaceType } from '@lateen/api-types';
import { backupTargetType, backupType, backupVolumeType } from '@lateen/storage-types';
import { describe, expect, it } from 'vitest';
import { backupWorld, key } from './block-backup-world.ts';
import { namespace } from './storage-objects.ts';

/* Deleting the namespace of the volume manager deletes every object in it, including those that represent backups. */

const stays = 'the namespace is being deleted: what the object stands for stays on the backup target';

const stored = ({ memory }: ReturnType<typeof backupWorld>) => [...memory.objects.keys()].sort();

async function withBackups() {
  const world = backupWorld();
  for (const [name, snapshot] of [
    ['backup-1', 's1'],
    ['backup-2', 's2'],
  ] as const) {
    world.ask(name, snapshot);
    await world.clock.advanceUntil(() => world.backup(name)?.status?.state === 'Completed');
  }
  await world.clock.advanceUntil(() => world.cluster.all(backupVolumeType).length === 1);
  // No backup is being written any more.
  await world.clock.advance(30_000);
  const there = stored(world);
  expect(there.filter((each) => each.includes('backup_'))).toHaveLength(2);
  return { world, there };
}

describe('while a manager lives, a namespace that is deleted', () => {
  it.each([
    ['backups', [backupType, backupVolumeType]],
    ['volumes on the target', [backupVolumeType, backupType]],
  ] as const)(
    'keeps everything on the backup target, whose object is deleted last, when %s are deleted first',
    async (_, order) => {
      const { world, there } = await withBackups();
      // The API server deletes the kinds one after the other, in no guaranteed order.
      world.cluster.change(namespaceType, { name: namespace }, ({ metadata }) => {
        metadata.deletionTimestamp = '2030-01-01T01:00:00Z';
      });
      for (const type of order) {
        for (const { metadata } of world.cluster.all<KubeObject>(type))
          await world.cluster.delete(type, key(metadata.name ?? ''));
        await world.clock.advanceUntil(() => world.cluster.all(type).length === 0, { withinMs: 600_000 });
        expect(stored(world)).toEqual(there);
      }
      const said = world.log.lines.filter(({ message }) => message === stays).map(({ fields }) => fields.kind);
      expect(said).toContain('BackupVolume');
    },
  );

  it('is deleted completely', async () => {
    const { world, there } = await withBackups();
    await world.cluster.delete(namespaceType, { name: namespace });
    const left = () =>
      [backupType, backupVolumeType, backupTargetType].flatMap((type) => world.cluster.all<KubeObject>(type));
    await world.clock.advanceUntil(() => left().length === 0, { withinMs: 600_000 });
    expect(stored(world)).toEqual(there);
  });
});

it('a deleted backup stays while it is unknown whether its namespace is being deleted, and is deleted afterwards', async () => {
  const { world, there } = await withBackups();
  world.cluster.failTimes(3, 'get', namespaceType, 'KUBE_UNAVAILABLE');
  await world.cluster.delete(backupType, key('backup-1'));
  await world.clock.advance(200);
  expect(stored(world).filter((each) => !each.includes('/locks/'))).toEqual(there);
  await world.clock.advanceUntil(() => world.backup('backup-1') === undefined, { withinMs: 600_000 });
  expect(stored(world).filter((each) => each.includes('backup_backup-1'))).toEqual([]);
  expect(stored(world).filter((each) => each.includes('backup_backup-2'))).toHaveLength(1);
});
