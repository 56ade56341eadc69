import { AppError, isAppError } from '@lateen/errors';
import { type Clock, silentLogger } from '@lateen/kernel';
import type { ObjectStore } from '@lateen/object-store';
import { FakeClock, faultyObjectStore, letTimePass, memoryObjectStore, seededRandom } from '@lateen/testing';
import { describe, expect, it } from 'vitest';
import { lockFileText } from '../format/lock-file.ts';
import { storePaths } from '../names/store-paths.ts';
import type { StoreContext } from '../store/store-context.ts';
import { paths, volumeName } from '../store-under-test.ts';
import { type LockPurpose, withLock } from './with-lock.ts';

const [backup, deletion] = ['backup create/restore', 'backup delete'] as const;

function under() {
  const clock = new FakeClock();
  const memory = memoryObjectStore({ clock });
  const random = seededRandom(7);
  const context = (store: ObjectStore = memory, own: Clock = clock): StoreContext => {
    return { store, clock: own, random, log: silentLogger, paths: storePaths('') };
  };
  const { signal } = new AbortController();
  /** Holds the lock for this time; resolves to its result. */
  const hold = (purpose: LockPurpose, ms: number, with_ = context()): Promise<string> =>
    withLock(with_, volumeName, { purpose, signal }, async (held) => {
      await clock.sleep(ms, held.signal);
      held.check();
      return 'done';
    }).catch((error: unknown) => (isAppError(error) ? error.code : String(error)));
  const locks = () => [...memory.objects.keys()].filter((key) => key.startsWith(paths.locks));
  const setLock = (name: string, type: number, acquired: boolean) =>
    memory.objects.set(paths.lock(name), Buffer.from(lockFileText({ name, type, acquired })));
  return { clock, memory, context, signal, hold, locks, setLock };
}

describe('withLock', () => {
  it('excludes deletions from running backups and backups from deletions, and leaves no files', async () => {
    for (const [first, second] of [
      [backup, deletion],
      [deletion, backup],
    ] as const) {
      const { clock, hold, locks } = under();
      const running = hold(first, 60_000);
      await clock.advance(10_000);
      expect(await letTimePass(hold(second, 1), clock)).toBe('BLOCK_STORE_LOCKED');
      expect(await letTimePass(running, clock)).toBe('done');
      expect(await letTimePass(hold(second, 1), clock)).toBe('done');
      expect(locks()).toEqual([]);
    }
  });

  it('allows any number of the same type', async () => {
    const { clock, hold } = under();
    const all = Promise.all([hold(backup, 60_000), hold(backup, 30_000), hold(backup, 5_000)]);
    expect(await letTimePass(all, clock)).toEqual(['done', 'done', 'done']);
  });

  it('admits one of two that begin at the same time', async () => {
    const { clock, hold } = under();
    const ends = await letTimePass(Promise.all([hold(backup, 1_000), hold(deletion, 1_000)]), clock);
    expect(ends.toSorted()).toEqual(['BLOCK_STORE_LOCKED', 'done']);
  });

  it('reports what it waits for in the wording of Longhorn', async () => {
    const { clock, signal, context, setLock } = under();
    setLock('lock-00ff', 2, true);
    const work = withLock(context(), volumeName, { purpose: backup, signal }, async () => {});
    await expect(letTimePass(work, clock)).rejects.toMatchObject({
      code: 'BLOCK_STORE_LOCKED',
      retry: 'later',
      message: expect.stringMatching(
        /^failed to acquire lock backupstore.*locks\/lock-[0-9a-f]{16}.lck when performing backup create\/restore, please try again later$/,
      ),
      cause: expect.objectContaining({ message: `${paths.lock('lock-00ff')} comes first` }),
      nextStep: expect.stringContaining('deletion'),
    });
  });

  it('respects the lock of a dead client for 150 seconds, and leaves its file', async () => {
    const { clock, hold, setLock, locks } = under();
    setLock('lock-00ff', 2, true);
    await clock.advance(147_000);
    expect(await letTimePass(hold(backup, 1), clock)).toBe('BLOCK_STORE_LOCKED');
    await clock.advance(2_000);
    expect(await letTimePass(hold(backup, 1), clock)).toBe('done');
    expect(locks()).toEqual([paths.lock('lock-00ff')]);
  });

  it('treats an unreadable file as a lock until it has expired, and reports it', async () => {
    const { clock, signal, context, memory, hold } = under();
    memory.objects.set(paths.lock('lock-cut'), Buffer.from('{"Name":"lock-c'));
    const work = withLock(context(), volumeName, { purpose: backup, signal }, async () => {});
    await expect(letTimePass(work, clock)).rejects.toMatchObject({
      code: 'BLOCK_STORE_LOCKED',
      cause: expect.objectContaining({ message: `${paths.lock('lock-cut')} is not a lock that can be read` }),
      nextStep: expect.stringContaining('delete the file'),
    });
    await clock.advance(150_000);
    expect(await letTimePass(hold(backup, 1), clock)).toBe('done');
  });

  it.each([-3_600_000, 3_600_000])('uses the clock of the store when its own is off by %i ms', async (ms) => {
    const { clock, hold, context, memory } = under();
    const running = hold(deletion, 600_000);
    await clock.advance(10_000);
    const off: Clock = {
      now: () => clock.now() + ms,
      monotonicMs: () => clock.monotonicMs(),
      sleep: (...wait) => clock.sleep(...wait),
      deadline: (wait) => clock.deadline(wait),
    };
    expect(await letTimePass(hold(backup, 1, context(memory, off)), clock)).toBe('BLOCK_STORE_LOCKED');
    expect(await letTimePass(running, clock)).toBe('done');
  });

  it('keeps its lock for as long as it works', async () => {
    const { clock, hold } = under();
    const running = hold(backup, 3_600_000);
    for (let minutes = 0; minutes < 50; minutes += 10) {
      await clock.advance(600_000);
      expect(await letTimePass(hold(deletion, 1), clock)).toBe('BLOCK_STORE_LOCKED');
    }
    expect(await letTimePass(running, clock)).toBe('done');
  });

  it('survives a minute without the store, and aborts its work before others consider the lock expired', async () => {
    const { clock, memory, context, hold } = under();
    const store = faultyObjectStore(memory);
    const away = { on: 'put', fault: { fail: new AppError('OBJECT_STORE_UNAVAILABLE', 'away') } } as const;
    const first = hold(backup, 600_000, context(store));
    await clock.advance(50_000);
    store.add(away);
    await clock.advance(60_000);
    store.heal();
    expect(await letTimePass(first, clock)).toBe('done');

    const second = hold(backup, 600_000, context(store));
    await clock.advance(3_000);
    store.add(away);
    await clock.advance(140_000);
    expect(await second).toBe('BLOCK_STORE_LOCK_LOST');
  });

  it('aborts when its process was suspended for too long', async () => {
    const { clock, context, signal } = under();
    let stoodMs = 0;
    const own: Clock = {
      now: () => clock.now(),
      monotonicMs: () => clock.monotonicMs() + stoodMs,
      sleep: (...wait) => clock.sleep(...wait),
      deadline: (wait) => clock.deadline(wait),
    };
    const work = withLock(context(undefined, own), volumeName, { purpose: backup, signal }, async (held) => {
      held.check();
      stoodMs = 200_000;
      held.check();
    });
    await expect(letTimePass(work, clock)).rejects.toMatchObject({ code: 'BLOCK_STORE_LOCK_LOST' });
  });

  it('withdraws when another client was admitted while the store was slow to show it', async () => {
    const { clock, memory, context, hold } = under();
    const times = new Map<string, number>();
    /** Calls take effect after this delay, one after the other; all others at once. */
    const slow = (...effectsMs: number[]) =>
      context(slowStore(memory, clock, { times, lateMs: () => effectsMs.shift() ?? 0 }));
    // Its lock is older and visible to no other client for 5 s.
    const first = hold(deletion, 10_000, slow(5_000));
    await clock.advance(1_000);
    // It has checked, and the store takes 6 s to store the acquired lock.
    const second = hold(backup, 10_000, slow(0, 0, 0, 0, 6_000));
    expect(await letTimePass(Promise.all([first, second]), clock)).toEqual(['done', 'BLOCK_STORE_LOCKED']);
  });

  it('never admits two different types, however slow the store is', async () => {
    let [through, refused] = [0, 0];
    for (let seed = 1; seed <= 150; seed++) {
      const { clock, memory, context, signal } = under();
      const random = seededRandom(seed);
      const lateMs = random.next() * 12_000;
      const inside = new Set<LockPurpose>();
      const times = new Map<string, number>();
      const run = async (purpose: LockPurpose): Promise<void> => {
        await clock.sleep(random.next() * 5_000);
        const slow = context(slowStore(memory, clock, { times, lateMs: () => random.next() * lateMs }));
        await withLock(slow, volumeName, { purpose, signal }, async () => {
          inside.add(purpose);
          expect(inside.size, `seed ${seed}`).toBe(1);
          await clock.sleep(random.next() * 20_000);
          expect(inside.size, `seed ${seed}`).toBe(1);
          inside.delete(purpose);
          through++;
        }).catch((error: unknown) => {
          if (!isAppError(error, 'BLOCK_STORE_LOCKED')) throw error;
          refused++;
        });
      };
      await letTimePass(Promise.all([run(backup), run(deletion)]), clock);
    }
    expect(through).toBeGreaterThan(150);
    expect(refused).toBeGreaterThan(50);
  });
});

/**
 * Each call takes effect some time after it was made, and is answered some time after that. An object is as old as the call that
 * wrote it, as in stores that use the start time of a request.
 */
function slowStore(
  store: ObjectStore,
  clock: Clock,
  { times, lateMs }: { times: Map<string, number>; lateMs: () => number },
): ObjectStore {
  const late = async <T>(act: () => Promise<T>): Promise<T> => {
    await clock.sleep(lateMs());
    const result = await act();
    await clock.sleep(lateMs());
    return result;
  };
  return {
    ...store,
    put: (key, body, options) => {
      const beganMs = clock.now();
      return late(async () => {
        await store.put(key, body, options);
        times.set(key, beganMs);
      });
    },
    delete: (key, options) => late(() => store.delete(key, options)),
    list: async function* (prefix, options) {
      const listed = await late(() => Array.fromAsync(store.list(prefix, options)));
      for (const each of listed) yield { ...each, modifiedAtMs: times.get(each.key) };
    },
  };
}
