import { silentLogger } from '@lateen/kernel';
import { FakeClock, faultyObjectStore, letTimePass, memoryObjectStore, seededRandom } from '@lateen/testing';
import { describe, expect, it } from 'vitest';
import { ModelVolume } from '../model-volume.ts';
import { storePaths } from '../names/store-paths.ts';
import { blockBytes, paths, storeUnderTest, volumeName } from '../store-under-test.ts';
import { deleteBackup } from './delete-backup.ts';

/** Three backups, each with a block of its own and one common block. */
async function threeBackups() {
  const clock = new FakeClock();
  const all = storeUnderTest({
    clock,
    memory: memoryObjectStore({ clock }),
    random: seededRandom(),
    pass: (work) => letTimePass(work, clock),
  });
  const volume = new ModelVolume(8 * blockBytes, blockBytes);
  volume.write(0, Buffer.alloc(blockBytes, 'all'));
  for (const number of [1, 2, 3]) {
    volume.write(blockBytes, Buffer.alloc(blockBytes, `own ${number}`));
    volume.snapshot(`snap-${number}`);
    await all.backup(volume, `snap-${number}`);
    await clock.advance(60_000);
  }
  const blocks = () => [...all.memory.objects.keys()].filter((key) => key.startsWith(paths.blocks)).length;
  const remove = (name: string, store = all.client()) => all.pass(store.deleteBackup(volumeName, name, all));
  const config = () => all.client().readVolume(volumeName, all);
  return { ...all, volume, blocks, remove, config };
}

describe('deleteBackup', () => {
  it('deletes the blocks that no other backup lists, and counts those in use', async () => {
    const { remove, blocks, config, memory } = await threeBackups();
    memory.objects.set(`${paths.blocks}00/notes.txt`, Buffer.from('mine'));
    expect(blocks()).toBe(5);
    expect(await remove('backup-snap-2')).toEqual({ deletedBlocks: 1, freedBytes: 64, kept: undefined });
    expect(await config()).toMatchObject({ blockCount: 3n, lastBackupName: 'backup-snap-3' });
    expect(memory.objects.has(`${paths.blocks}00/notes.txt`)).toBe(true);
  });

  it('makes the newest remaining backup the last one', async () => {
    const { remove, config, backup, volume } = await threeBackups();
    await remove('backup-snap-3');
    expect(await config()).toMatchObject({ lastBackupName: 'backup-snap-2', lastBackupAt: '2030-01-01T00:01:02Z' });
    volume.snapshot('snap-4');
    expect(await backup(volume, 'snap-4')).toMatchObject({ full: undefined });
  });

  it('keeps the volume when no backup is left', async () => {
    const { remove, config, blocks } = await threeBackups();
    for (const number of [1, 2, 3]) await remove(`backup-snap-${number}`);
    expect(blocks()).toBe(0);
    expect(await config()).toMatchObject({ blockCount: 0n, lastBackupName: '', lastBackupAt: '' });
    expect(await remove('backup-snap-1')).toMatchObject({ deletedBlocks: 0, kept: undefined });
  });

  it('deletes no block while a backup is in progress or unfinished, until that one is deleted', async () => {
    const { remove, blocks, backup, volume, memory, client } = await threeBackups();
    volume.write(0, Buffer.alloc(blockBytes, 'late'));
    volume.snapshot('snap-4');
    const dies = faultyObjectStore(memory, [{ on: 'put', about: 'volume.cfg', fault: { fail: new Error('gone') } }]);
    const diesSooner = faultyObjectStore(memory, [{ on: 'write', after: 1, fault: { fail: new Error('gone') } }]);
    await expect(backup(volume, 'snap-4', {}, client(diesSooner))).rejects.toThrow('gone');
    expect(blocks()).toBe(5);
    expect(await remove('backup-snap-1')).toMatchObject({
      deletedBlocks: 0,
      kept: { reason: 'backup-in-progress', backup: 'backup-snap-4' },
    });
    expect(blocks()).toBe(5);
    expect(await remove('backup-snap-4')).toMatchObject({ deletedBlocks: 2, kept: undefined });
    // Complete, although no volume.cfg mentions it.
    await expect(backup(volume, 'snap-4', {}, client(dies))).rejects.toThrow('gone');
    expect(await remove('backup-snap-2')).toMatchObject({ deletedBlocks: 1, kept: undefined });
  });

  it.each([
    ['cut', (text: string) => text.slice(0, -10), /its end is missing/],
    ['empty', () => '', /not complete JSON/],
    ['of another backup', (text: string) => text.replace('backup-snap-3', 'backup-other'), /backup-other/],
    ['compressed with an unknown method', (text: string) => text.replace('none', 'zstd'), /does not know/],
  ])('deletes no block while the file of a backup is %s, and names the file', async (_, change, why) => {
    const { remove, blocks, memory } = await threeBackups();
    const key = paths.backup('backup-snap-3');
    memory.objects.set(key, Buffer.from(change(memory.text(key))));
    const { deletedBlocks, kept } = await remove('backup-snap-1');
    expect(kept).toMatchObject({
      reason: 'backup-unreadable',
      backup: 'backup-snap-3',
      why: expect.stringMatching(why),
    });
    expect([deletedBlocks, blocks()]).toEqual([0, 4]);
    expect(await remove('backup-snap-3')).toMatchObject({ deletedBlocks: 2, kept: undefined });
  });

  it('deletes no block while volume.cfg cannot be read', async () => {
    const { remove, memory, blocks } = await threeBackups();
    memory.objects.set(paths.config, Buffer.from('{'));
    expect(await remove('backup-snap-1')).toMatchObject({ kept: { reason: 'volume-unreadable' } });
    expect([blocks(), memory.objects.has(paths.backup('backup-snap-1'))]).toEqual([4, false]);
  });

  it('deletes no block when another backup was added meanwhile', async () => {
    const { remove, memory, client, blocks } = await threeBackups();
    const cameAfter = { ...memory };
    let listings = 0;
    cameAfter.list = (prefix, options) => {
      if (prefix === paths.backups && ++listings === 2) {
        memory.objects.set(paths.backup('backup-late'), Buffer.from('{}'));
      }
      return memory.list(prefix, options);
    };
    expect(await remove('backup-snap-1', client(cameAfter))).toMatchObject({ kept: { reason: 'backups-changed' } });
    expect(blocks()).toBe(4);
  });

  it('counts no more blocks than fit into its memory limit, and continues until all unused ones are deleted', async () => {
    const { memory, clock, random, signal, pass, blocks } = await threeBackups();
    const context = { store: memory, paths: storePaths(''), clock, random, log: silentLogger };
    const remove = (backup: string, limits: { blocksNamedMax: number; foundMax: number }) =>
      pass(deleteBackup(context, { volume: volumeName, backup }, { signal }, limits));
    expect(await remove('backup-snap-1', { blocksNamedMax: 2, foundMax: 9 })).toMatchObject({
      kept: { reason: 'too-many-blocks' },
    });
    expect(await remove('backup-snap-2', { blocksNamedMax: 2, foundMax: 1 })).toMatchObject({ deletedBlocks: 2 });
    expect(blocks()).toBe(2);
  });

  it('rejects an invalid name', async () => {
    const { remove } = await threeBackups();
    await expect(remove('../../x')).rejects.toMatchObject({ code: 'BLOCK_STORE_NAME' });
  });
});

describe('deleteVolume', () => {
  it('deletes all files of the volume, and none of others', async () => {
    const { client, pass, signal, memory } = await threeBackups();
    memory.objects.set('backupstore/volumes/47/e3/vol-2/volume.cfg', Buffer.from('{}'));
    await pass(client().deleteVolume(volumeName, { signal }));
    expect([...memory.objects.keys()]).toEqual(['backupstore/volumes/47/e3/vol-2/volume.cfg']);
  });

  it('continues after an interruption', async () => {
    const { client, pass, signal, memory, clock } = await threeBackups();
    const breaks = faultyObjectStore(memory, [{ on: 'delete', after: 4, fault: { fail: new Error('gone') } }]);
    await expect(pass(client(breaks).deleteVolume(volumeName, { signal }))).rejects.toThrow('gone');
    await clock.advance(200_000);
    await pass(client().deleteVolume(volumeName, { signal }));
    expect([...memory.objects.keys()]).toEqual([]);
  });
});
