import { describe, expect, it } from 'vitest';
import { UnsyncedFiles } from './unsynced-files.ts';

const KiB = 1024;

/** Files of one page each within 16 KiB: two may be written while two others are synced. */
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
  it('starts no sync before half of the limit is written', async () => {
    const { syncs, wrote } = rig();
    expect((await wrote(1)).isDone()).toBe(true);
    expect(syncs).toHaveLength(0);
  });

  it('allows the other half to be written during a sync, and blocks further writes until it has ended', async () => {
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

  it('counts at least a page per file', async () => {
    const { syncs, wrote } = rig();
    await wrote(1, 4 * KiB);
    expect(syncs).toHaveLength(1);
  });

  it('reports a failed sync to the next writer, and at the end', async () => {
    const { unsynced, syncs, wrote } = rig();
    await wrote(2);
    const held = await wrote(2);
    syncs[0]?.reject(new Error('no space'));
    await expect(held.waiting).rejects.toThrow('no space');
    await unsynced.settled();
    expect(() => unsynced.throwIfFailed()).toThrow('no space');
  });

  it('is settled when no sync runs', async () => {
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
