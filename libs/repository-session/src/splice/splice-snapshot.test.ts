import { isAppError } from '@lateen/errors';
import { FakeClock, letTimePass, seededRandom } from '@lateen/testing';
import fc from 'fast-check';
import { beforeEach, describe, expect, it } from 'vitest';
import { MemoryRepository } from '../memory-repository.ts';
import type { ChangedRange } from './changed-chunks.ts';
import { type SpliceRequest, spliceSnapshot } from './splice-snapshot.ts';

const { signal } = new AbortController();
const source = { path: 'snapshot-data-upload-download/kopia/shop/data', tags: { 'snapshot-uploader': 'kopia' } };
const chunkBytes = 16;

let clock: FakeClock;
let repository: MemoryRepository;

beforeEach(() => {
  clock = new FakeClock('2030-01-01T00:00:00Z');
  repository = new MemoryRepository(seededRandom(1));
});

/** A whole snapshot of a volume, as the full upload leaves it. */
const takeWhole = (volume: Uint8Array) =>
  repository.takeWhole(volume, { source, chunkBytes, startMs: 1, fileName: '/uid' });

const readerOf = (volume: Uint8Array) => async (into: Uint8Array, offset: number) =>
  into.set(volume.subarray(offset, offset + into.length));

function splice(volume: Uint8Array, baseID: string, changed: ChangedRange[], more: Partial<SpliceRequest> = {}) {
  const { open } = repository;
  const request = { source, baseID, changed, sizeBytes: volume.length, chunkBytes, fileName: '/uid', signal };
  const options = { open, clock, random: seededRandom(7), checkpointBytes: 3 * chunkBytes };
  return letTimePass(spliceSnapshot(options, { ...request, read: readerOf(volume), ...more }), clock);
}

const restored = (snapshotID: string) => repository.restored(snapshotID);

const volumeOf = (bytes: number, fill = 1): Buffer => Buffer.from(Array.from({ length: bytes }, (_, at) => at * fill));

describe('a spliced snapshot', () => {
  it('has the changed chunks and refers to the base for the others', async () => {
    const volume = volumeOf(1000);
    const baseID = await takeWhole(volume);
    const before = repository.storedBytes;
    volume.fill(7, 40, 50);
    volume.fill(8, 990, 1000);
    const result = await splice(volume, baseID, [
      { offset: 40, length: 10 },
      { offset: 990, length: 10 },
    ]);
    // The ranges lie in chunks 2 and 3, and in the chunks 61 and 62, of which the last has 8 bytes.
    expect(result).toMatchObject({ totalBytes: 1000, changedBytes: 56, readBytes: 56, uploadedBytes: 56 });
    expect(await restored(result.snapshotID)).toEqual(volume);
    expect(await restored(baseID)).not.toEqual(volume);
    expect(repository.storedBytes - before).toBeGreaterThanOrEqual(56);
    const { labels, json } = repository.manifests.get(result.snapshotID) ?? { labels: {}, json: '' };
    expect(labels).toEqual({ type: 'snapshot', hostname: 'default', username: 'default', ...labelsOf() });
    expect(JSON.parse(json)).toMatchObject({
      tags: { ...source.tags, [tag]: '1' },
      stats: { totalSize: 1000 },
      pins: ['velero-pin'],
    });
  });

  const tag = 'lateen-increments-since-check';
  const labelsOf = () => ({ path: source.path, ...source.tags, [tag]: '1' });

  it('verifies the given unchanged chunks, and stores nothing for that', async () => {
    const volume = volumeOf(100);
    const baseID = await takeWhole(volume);
    const before = new Set(repository.contents.keys());
    volume[0] = 200;
    const result = await splice(volume, baseID, [{ offset: 0, length: 1 }], { chunksToVerify: () => [1, 4, 6] });
    expect(result).toMatchObject({ readBytes: 16, verifiedBytes: 36, uploadedBytes: 16 });
    // The changed chunk, the list, the folder.
    expect([...repository.contents.keys()].filter((id) => !before.has(id))).toHaveLength(3);
    expect(await restored(result.snapshotID)).toEqual(volume);
  });

  it('is rejected, with the offset, when an unchanged chunk is stored with other bytes', async () => {
    const volume = volumeOf(100);
    const baseID = await takeWhole(volume);
    volume[50] = 200;
    const failed = splice(volume, baseID, [{ offset: 0, length: 1 }], { chunksToVerify: () => [1, 2, 3, 4, 6] });
    await expect(failed).rejects.toMatchObject({
      code: 'BASE_SNAPSHOT_UNUSABLE',
      message: 'base snapshot differs from the volume: bytes from offset 48 on',
      details: { reason: 'base snapshot differs from the volume', offset: 48 },
    });
    expect([...repository.manifests.keys()]).toEqual([baseID]);
  });

  it('counts the splices since the last full read or verification', async () => {
    const volume = volumeOf(100);
    let baseID = await takeWhole(volume);
    const told: number[] = [];
    const next = async (changed: ChangedRange[], chunks: number[]) => {
      const chunksToVerify = (since: number) => {
        told.push(since);
        return chunks;
      };
      ({ snapshotID: baseID } = await splice(volume, baseID, changed, { chunksToVerify }));
    };
    const some = [{ offset: 0, length: 1 }];
    await next(some, []);
    await next(some, []);
    await next([], [5]);
    await next(some, []);
    await next([{ offset: 0, length: 100 }], []);
    await next(some, []);
    expect(told).toEqual([0, 1, 2, 0, 1, 0]);
  });

  it('treats a base with an invalid tag as never verified', async () => {
    const volume = volumeOf(100);
    const baseID = await takeWhole(volume);
    const { json = '', labels = {} } = repository.manifests.get(baseID) ?? {};
    const manifest = { ...JSON.parse(json), tags: { [tag]: 'often' } };
    repository.manifests.set(baseID, { id: baseID, labels, json: JSON.stringify(manifest) });
    const told: number[] = [];
    const chunksToVerify = (since: number) => {
      told.push(since);
      return [];
    };
    const { snapshotID } = await splice(volume, baseID, [], { chunksToVerify });
    await splice(volume, snapshotID, [], { chunksToVerify });
    expect(told).toEqual([Number.MAX_SAFE_INTEGER - 1, Number.MAX_SAFE_INTEGER]);
  });

  it.each([[0], [7], [-1], [1.5]])('verifies no changed or unknown chunk: %d', async (chunk) => {
    const volume = volumeOf(100);
    const baseID = await takeWhole(volume);
    const wrong = splice(volume, baseID, [{ offset: 0, length: 1 }], { chunksToVerify: () => [chunk] });
    await expect(wrong).rejects.toThrow(RangeError);
  });

  it('counts only what differs from the base as uploaded', async () => {
    const volume = volumeOf(100);
    const result = await splice(volume, await takeWhole(volume), [{ offset: 0, length: 100 }]);
    expect(result).toMatchObject({ changedBytes: 100, readBytes: 100, uploadedBytes: 0 });
  });

  it('works without changes, and for a volume of one chunk', async () => {
    const small = volumeOf(10);
    const one = await splice(small, await takeWhole(small), []);
    expect(await restored(one.snapshotID)).toEqual(small);
    small.fill(9);
    const next = await splice(small, one.snapshotID, [{ offset: 3, length: 1 }]);
    expect(await restored(next.snapshotID)).toEqual(small);
  });

  it.each<[string, string, (base: string) => Partial<SpliceRequest>]>([
    ['the base is gone', 'base snapshot gone', () => ({ baseID: '9'.repeat(32) })],
    ['the volume grew', 'volume has another size than its base snapshot', () => ({ sizeBytes: 110 })],
    [
      'the base is of another volume',
      'base snapshot is of another volume',
      () => ({ source: { ...source, path: 'o' } }),
    ],
    ['the splitter is another', 'base snapshot is cut in another way', () => ({ chunkBytes: 32 })],
    ['there are too many chunks', 'volume has too many chunks', () => ({ sizeBytes: 2 ** 40, chunkBytes: 1 })],
    ['ranges overlap', 'list of changed ranges is not valid', () => ranges([0, 9], [8, 4])],
    ['ranges are out of order', 'list of changed ranges is not valid', () => ranges([50, 1], [0, 1])],
    ['a range is beyond the end', 'list of changed ranges is not valid', () => ranges([90, 11])],
    ['a range is empty', 'list of changed ranges is not valid', () => ranges([9, 0])],
    ['a range is no number', 'list of changed ranges is not valid', () => ranges([Number.NaN, 4])],
  ])('is rejected, and nothing is stored, when %s', async (_, reason, wrong) => {
    const volume = volumeOf(100);
    const baseID = await takeWhole(volume);
    const manifests = repository.manifests.size;
    const failed = await splice(volume, baseID, [], wrong(baseID)).catch((error: unknown) => error);
    expect(failed).toMatchObject({ code: 'BASE_SNAPSHOT_UNUSABLE', details: { reason } });
    expect(repository.manifests.size).toBe(manifests);
  });

  const ranges = (...list: [number, number][]) => ({ changed: list.map(([offset, length]) => ({ offset, length })) });

  it('is rejected when the base is deleted meanwhile', async () => {
    const volume = volumeOf(100);
    const baseID = await takeWhole(volume);
    const read = async (into: Uint8Array) => {
      repository.manifests.delete(baseID);
      into.fill(1);
    };
    await expect(splice(volume, baseID, [{ offset: 0, length: 1 }], { read })).rejects.toMatchObject({
      code: 'BASE_SNAPSHOT_UNUSABLE',
      details: { reason: 'base snapshot gone' },
    });
  });

  it('is rejected when a list of the base is damaged', async () => {
    const volume = volumeOf(100);
    const baseID = await takeWhole(volume);
    for (const [id] of repository.contents) if (id.startsWith('x')) repository.contents.set(id, Buffer.from('{"strea'));
    await expect(splice(volume, baseID, [])).rejects.toMatchObject({
      details: { reason: 'base snapshot cannot be read' },
    });
  });

  it('is not stored when the volume cannot be read, and the session ends', async () => {
    const volume = volumeOf(100);
    const baseID = await takeWhole(volume);
    const read = () => Promise.reject(new Error('bad sector'));
    await expect(splice(volume, baseID, [{ offset: 0, length: 1 }], { read })).rejects.toThrow('bad sector');
  });

  it('is not stored after an abort', async () => {
    const volume = volumeOf(100);
    const baseID = await takeWhole(volume);
    const stop = new AbortController();
    const read = async () => stop.abort(new Error('told to stop'));
    const more = { read, signal: stop.signal };
    await expect(splice(volume, baseID, [{ offset: 0, length: 60 }], more)).rejects.toThrow('told to stop');
    expect(repository.manifests.size).toBe(1);
  });

  it('gives up after three lost sessions', async () => {
    const volume = volumeOf(100);
    const baseID = await takeWhole(volume);
    repository.lossRate = 1;
    await expect(splice(volume, baseID, [])).rejects.toMatchObject({ code: 'REPOSITORY_SESSION_LOST', retry: 'soon' });
    expect(repository.opened).toBe(4);
  });
});

describe('snapshots of random writes, with sessions that are lost at any request', () => {
  const write = fc.record({ at: fc.nat(999), length: fc.integer({ min: 1, max: 90 }), fill: fc.nat(255) });
  const history = fc.record({
    seed: fc.nat(),
    size: fc.integer({ min: 1, max: 700 }),
    rounds: fc.array(fc.array(write, { maxLength: 5 }), { minLength: 1, maxLength: 6 }),
    lossRate: fc.constantFrom(0, 0.02, 0.1),
  });

  it('are stored once each, and restore to the volume at their time', async () => {
    const check = fc.asyncProperty(history, async ({ seed, size, rounds, lossRate }) => {
      clock = new FakeClock('2030-01-01T00:00:00Z');
      repository = new MemoryRepository(seededRandom(seed));
      const volume = volumeOf(size, seed % 251);
      const expected = new Map([[await takeWhole(volume), Buffer.from(volume)]]);
      let baseID = [...expected.keys()][0] ?? '';
      repository.lossRate = lossRate;
      let othersMax = 0;
      for (const writes of rounds) {
        await clock.advance(1);
        const dirty = new Set<number>();
        for (const { at, length, fill } of writes)
          for (let byte = at % size; byte < Math.min(size, (at % size) + length); byte++) {
            volume[byte] = fill;
            dirty.add(byte);
          }
        const made = await splice(volume, baseID, rangesOf(dirty)).catch((error: unknown) => {
          if (isAppError(error, 'REPOSITORY_SESSION_LOST')) return undefined;
          throw error;
        });
        if (made === undefined) {
          othersMax = 1;
          break;
        }
        baseID = made.snapshotID;
        expected.set(baseID, Buffer.from(volume));
      }
      // The manifest of a failed one may be stored anyway: then it is complete.
      const others = [...repository.manifests.keys()].filter((id) => !expected.has(id));
      expect(others.length).toBeLessThanOrEqual(othersMax);
      for (const [id, bytes] of expected) expect(await restored(id)).toEqual(bytes);
      for (const id of others) expect(await restored(id)).toEqual(volume);
    });
    await fc.assert(check, { numRuns: 100 });
  });

  /** Bytes to ranges, apart or touching. */
  const rangesOf = (bytes: ReadonlySet<number>): ChangedRange[] =>
    [...bytes].sort((a, b) => a - b).map((offset) => ({ offset, length: 1 }));
});
