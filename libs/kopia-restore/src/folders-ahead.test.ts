import { silentLogger } from '@lateen/kernel';
import type { FolderEntry, ObjectId } from '@lateen/kopia-format';
import { packReader } from '@lateen/pack-reader';
import { FakeClock, seededRandom } from '@lateen/testing';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { type AheadLimits, type FolderSource, readingAhead } from './folders-ahead.ts';
import { limitOf } from './limit-of.ts';
import { type ReadFolder, windowsOf } from './windows.ts';

const attributes = { mode: 0o755, uid: 0, gid: 0, mtimeNs: 0n };
const idOf = (contentId: string, indirection = 0): ObjectId => ({ contentId, indirection });
const entry = (name: string, type: FolderEntry['type'], objectId: ObjectId | undefined): FolderEntry => ({
  ...attributes,
  name,
  type,
  objectId,
  size: 1,
  tree: undefined,
});
const folder = (name: string, indirection = 0) => entry(name, 'folder', idOf(name, indirection));
const { signal } = new AbortController();
const limits: AheadLimits = { foldersAheadMax: 8, folderBytesAheadMax: 100 };

/** Entries of folders by their IDs, in groups. */
type Tree = Readonly<Record<string, readonly (readonly FolderEntry[])[]>>;

/** The result of a walk in small windows, with all its errors. */
async function walked(read: ReadFolder): Promise<unknown[]> {
  const root = { folder: { path: '', attributes }, objectId: idOf('root') };
  return await Array.fromAsync(windowsOf(root, read, { entriesMax: 5, nameBytesMax: 1_000 }));
}

interface Script {
  sizes?: Readonly<Record<string, number>>;
  /** Resolves when the read may complete. */
  turn?: () => Promise<unknown>;
  broken?: string;
}

/** Folders whose reads complete when the test says so, and which of them are being read. */
function scripted(tree: Tree, { sizes = {}, turn = async () => {}, broken }: Script = {}) {
  const begun: string[] = [];
  let [reading, most] = [0, 0];
  const source: FolderSource = {
    read: async function* ({ contentId }) {
      begun.push(contentId);
      most = Math.max(most, ++reading);
      try {
        for (const group of tree[contentId] ?? []) {
          await turn();
          if (contentId === broken) throw new Error(`no ${contentId}`);
          yield group;
        }
      } finally {
        reading--;
      }
    },
    sizesOf: async (ids) => {
      await turn();
      return ids.map(({ contentId, indirection }) => (indirection > 0 ? undefined : (sizes[contentId] ?? 1)));
    },
  };
  return { source, begun, reading: () => reading, most: () => most };
}

/** Folders that contain folders with larger numbers, some of them several times. */
const anyTree: fc.Arbitrary<Tree> = fc.integer({ min: 1, max: 14 }).chain((count) => {
  const names = ['root', ...Array.from({ length: count - 1 }, (_, at) => `d${at + 1}`)];
  const below = (at: number) => {
    const folders = names.slice(at + 1, at + 5).map((name) => folder(name, name.endsWith('3') ? 1 : 0));
    const others = [entry('f', 'file', idOf('f')), entry('x', 'other', undefined), entry('d', 'folder', undefined)];
    return fc.array(fc.array(fc.constantFrom(...folders, ...others), { maxLength: 4 }), { maxLength: 3 });
  };
  return fc.tuple(...names.map((_, at) => below(at))).map((groups) => {
    return Object.fromEntries(names.map((name, at) => [name, groups[at] ?? []]));
  });
});

describe('readingAhead', () => {
  it('gives a walk the same windows in the same order, for any order of reads and any memory limit', async () => {
    const anyLimits = fc.record({ foldersAheadMax: fc.nat(6), folderBytesAheadMax: fc.nat(12) });
    const anySizes = fc.dictionary(fc.constantFrom('d1', 'd2', 'd4', 'd5'), fc.nat(20));
    await fc.assert(
      fc.asyncProperty(fc.scheduler(), anyTree, anyLimits, anySizes, async (scheduler, tree, bounds, sizes) => {
        const turn = () => scheduler.schedule(Promise.resolve());
        const { source, reading } = scripted(tree, { turn, sizes });
        const walk = readingAhead(() => source, bounds, signal, walked);
        expect(await scheduler.waitFor(walk)).toEqual(await walked(scripted(tree).source.read));
        expect(reading()).toBe(0);
      }),
      { numRuns: 300 },
    );
  });

  it('reads each folder once, and no more at once than the limit', async () => {
    const many = Array.from({ length: 50 }, (_, at) => folder(`d${at}`));
    const tree = Object.fromEntries(many.map(({ name }) => [name, [[folder(`${name}-below`)]]]));
    const { source, begun, most } = scripted({ ...tree, root: [many] }, { turn: () => new Promise(setImmediate) });
    await readingAhead(() => source, limits, signal, walked);
    expect(new Set(begun).size).toBe(begun.length);
    expect(begun).toHaveLength(101);
    // The folders on the path to it are open, too.
    expect(most()).toBeLessThanOrEqual(limits.foldersAheadMax + 2);
    expect(most()).toBeGreaterThan(4);
  });

  it('holds no more bytes than the limit, and leaves large and split folders to the walk', async () => {
    const names = ['large', 'listed', 'a', 'b', 'c', 'd'];
    const root = names.map((name) => folder(name, name === 'listed' ? 1 : 0));
    const { source, begun } = scripted({ root: [root] }, { sizes: { large: 101, a: 40, b: 40, c: 40, d: 1 } });
    await readingAhead(
      () => source,
      limits,
      signal,
      async (read) => {
        for await (const _ of read(idOf('root'))) await new Promise(setImmediate);
      },
    );
    expect(begun).toEqual(['root', 'a', 'b']);
  });

  it('continues to read when the walk has taken held folders', async () => {
    const names = ['a', 'b', 'c', 'd'];
    const sizes = Object.fromEntries(names.map((name) => [name, 60]));
    const { source, begun } = scripted({ root: [names.map((name) => folder(name))] }, { sizes });
    const seen: string[] = [];
    await readingAhead(
      () => source,
      limits,
      signal,
      async (read) => {
        for await (const [a, b] of read(idOf('root'))) {
          await new Promise(setImmediate);
          for (const each of [a, b]) await Array.fromAsync(read(each?.objectId as ObjectId));
          await new Promise(setImmediate);
          seen.push(...begun);
        }
      },
    );
    expect(seen).toEqual(['root', 'a', 'b', 'c']);
  });

  it('holds no folders that the walk skips', async () => {
    const tree: Tree = { root: [[folder('a'), folder('b'), folder('c')]], a: [[folder('a-below')]] };
    const { source, begun } = scripted(tree, { sizes: { 'a-below': 49, b: 50, c: 60 } });
    await readingAhead(
      () => source,
      limits,
      signal,
      async (read) => {
        for await (const [, b] of read(idOf('root'))) {
          await new Promise(setImmediate);
          // Those of 1, 50 and 49 bytes: the limit is reached.
          expect(begun).toEqual(['root', 'a', 'b', 'a-below']);
          await Array.fromAsync(read(b?.objectId as ObjectId));
          await new Promise(setImmediate);
        }
      },
    );
    expect(begun).toEqual(['root', 'a', 'b', 'a-below', 'c']);
  });

  it('fails when the walk reaches the unreadable folder, not before', async () => {
    const tree: Tree = { root: [[folder('a'), folder('b'), folder('c')]] };
    const { source, reading } = scripted({ ...tree, b: [[]] }, { broken: 'b' });
    const windows: unknown[] = [];
    const walk = readingAhead(
      () => source,
      limits,
      signal,
      async (read) => {
        const root = { folder: { path: '', attributes }, objectId: idOf('root') };
        for await (const { folders } of windowsOf(root, read, { entriesMax: 2, nameBytesMax: 1_000 }))
          windows.push(folders.map(({ path }) => path));
      },
    );
    await expect(walk).rejects.toThrow('no b');
    expect(windows).toEqual([['', 'a'], ['b']]);
    expect(reading()).toBe(0);
  });

  it('stops reading when the walk ends early or is aborted', async () => {
    const tree: Tree = { root: [[folder('a'), folder('b')]], a: [[]], b: [[]] };
    const abort = new AbortController();
    const ended: string[] = [];
    const sourceOf = (ends: AbortSignal): FolderSource => {
      const { source } = scripted(tree);
      return {
        ...source,
        read: async function* (objectId) {
          if (objectId.contentId === 'root') return yield* source.read(objectId);
          await new Promise<void>((resolve) => {
            ends.addEventListener('abort', () => resolve());
          });
          ended.push(objectId.contentId);
          ends.throwIfAborted();
        },
      };
    };
    const root = async (read: ReadFolder) => {
      for await (const _ of read(idOf('root'))) await new Promise(setImmediate);
    };
    await readingAhead(sourceOf, limits, signal, root);
    expect(ended).toEqual(['a', 'b']);
    const walk = readingAhead(sourceOf, limits, abort.signal, walked);
    await new Promise(setImmediate);
    abort.abort(new Error('canceled'));
    await expect(walk).rejects.toThrow('canceled');
    expect(ended).toEqual(['a', 'b', 'a', 'b']);
  });
});

describe('a tree of 2,000 folders in 50 generations with 30 ms latency', () => {
  const generations = 50;
  const MiB = 1024 * 1024;
  const packBytes = MiB / 2;

  /** By the clock and the requests of a pack reader: each generation has a pack with the folders that changed in it. */
  async function cost(bounds: AheadLimits) {
    const clock = new FakeClock();
    let requests = 0;
    const reader = packReader({
      store: {
        read: async function* (_, { range = { offset: 0, length: packBytes }, signal: ends } = {}) {
          requests++;
          await clock.sleep(30 + range.length / 100_000, ends);
          yield new Uint8Array(range.length);
        },
      },
      keyOf: (packId) => packId,
      clock,
      log: silentLogger,
      random: seededRandom(1),
      memoryBytes: 256 * MiB,
    });
    const tops = Array.from({ length: 40 }, (_, at) => folder(`${at}`));
    const tree: Record<string, FolderEntry[]> = { root: tops };
    for (const { name } of tops) tree[name] = Array.from({ length: 49 }, (_, at) => folder(`${name}/${at}`));
    const ids = Object.values(tree).flatMap((entries) => entries.map(({ name }) => name));
    const random = seededRandom(7);
    const places = new Map(
      ['root', ...ids].map((id) => [
        id,
        { pack: Math.floor(random.next() * generations), at: Math.floor(random.next() * (packBytes - 1_024)) },
      ]),
    );
    const source: FolderSource = {
      read: async function* ({ contentId }) {
        const { pack, at } = places.get(contentId) ?? { pack: 0, at: 0 };
        await reader.readOne({ packId: `q${pack}`, offset: at, length: 1_024 }, signal);
        yield tree[contentId] ?? [];
      },
      sizesOf: async (objectIds) => objectIds.map(() => 1_024),
    };
    let folders = 0;
    const walk = readingAhead(
      () => source,
      bounds,
      signal,
      async (read) => {
        const root = { folder: { path: '', attributes }, objectId: idOf('root') };
        for await (const window of windowsOf(root, read, { entriesMax: 1_000, nameBytesMax: 100_000 }))
          folders += window.folders.length;
      },
    );
    let isOver = false;
    void walk.finally(() => {
      isOver = true;
    });
    await clock.advanceUntil(() => isOver, { withinMs: 3_600_000 });
    await walk;
    return { folders, requests, ms: clock.monotonicMs(), reader: reader.figures };
  }

  it('is walked with a fraction of the round trips of a walk folder by folder', async () => {
    const alone = await cost({ foldersAheadMax: 0, folderBytesAheadMax: 0 });
    const ahead = await cost({ foldersAheadMax: 32, folderBytesAheadMax: 2 * MiB });
    expect([alone.folders, ahead.folders]).toEqual([2_001, 2_001]);
    expect(ahead.requests).toBeLessThanOrEqual(alone.requests);
    expect(ahead.ms).toBeLessThan(alone.ms / 5);
    const machine = { cpus: 2, cpuSeconds: 1, bytesPerSecondMax: undefined };
    expect(limitOf({ ...machine, seconds: alone.ms / 1_000, reader: alone.reader })).toBe('store-latency');
  });
});
