import { describe, expect, it } from 'vitest';
import { UnsyncedFiles } from './unsynced-files.ts';

const KiB = 1024;

/** Files of a page each within 16 KiB: two may be written while two others go to the storage. */
function rig() {
  const syncs: PromiseWithResolvers<void>[] = [];
  const unsynced = new UnsyncedFiles(() => {
    const sync = Promise.withResolvers<void>();
    syncs.push(sync);
    return sync.promise;
  }, 16 * KiB);
  const wrote = async (files: number, bytes = 0) => {
    let isDone = false;
    const waiting = unsynced.wrote({ files, bytes }).then(() => {
      isDone = true;
    });
    waiting.catch(() => {});
    await new Promise((resolve) => setImmediate(resolve));
    return { isDone: () => isDone, waiting };
  };
  return { unsynced, syncs, wrote };
}

describe('UnsyncedFiles', () => {
  it('asks for no sync before half of the bound is written', async () => {
    const { syncs, wrote } = rig();
    expect((await wrote(1)).isDone()).toBe(true);
    expect(syncs).toHaveLength(0);
  });

  it('lets the other half be written while a sync runs, and holds what is more until it has ended', async () => {
    const { syncs, wrote } = rig();
    expect((await wrote(2)).isDone()).toBe(true);
    expect(syncs).toHaveLength(1);
    expect((await wrote(1)).isDone()).toBe(true);
    const held = await wrote(1);
    expect(held.isDone()).toBe(false);
    syncs[0]?.resolve();
    await held.waiting;
    expect(syncs).toHaveLength(2);
  });

  it('counts the bytes of files beside a page for each', async () => {
    const { syncs, wrote } = rig();
    await wrote(1, 4 * KiB);
    expect(syncs).toHaveLength(1);
  });

  it('tells what a sync has met to who writes next, and in the end', async () => {
    const { unsynced, syncs, wrote } = rig();
    await wrote(2);
    const held = await wrote(2);
    syncs[0]?.reject(new Error('no space'));
    await expect(held.waiting).rejects.toThrow('no space');
    await unsynced.settled();
    expect(() => unsynced.throwIfFailed()).toThrow('no space');
  });

  it('is settled when no sync runs any more', async () => {
    const { unsynced, syncs, wrote } = rig();
    await wrote(2);
    let isSettled = false;
    const settled = unsynced.settled().then(() => {
      isSettled = true;
    });
    await new Promise((resolve) => setImmediate(resolve));
    expect(isSettled).toBe(false);
    syncs[0]?.resolve();
    await settled;
    expect(() => unsynced.throwIfFailed()).not.toThrow();
  });
});
