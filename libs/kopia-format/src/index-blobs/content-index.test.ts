import { createHash } from 'node:crypto';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { type WrittenEntry, writeIndex1, writeIndex2 } from '../golden/write-index.ts';
import { ContentIndex } from './content-index.ts';
import { IndexFile } from './index-file.ts';
import { type IndexSource, memorySource } from './index-source.ts';

const { signal } = new AbortController();
const overhead = 28;
/** Few contents, so that several files have the same ones. */
const idOf = (number: number) => {
  const hash = createHash('sha256').update(`${number}`).digest('hex').slice(0, 32);
  return ['', 'k', 'm', 'x'][number % 4] + hash;
};
/** A source like a disk or the store: not in memory as a whole. */
const partSource = (bytes: Uint8Array): IndexSource => ({
  size: bytes.length,
  read: async (offset, length) => {
    if (offset + length > bytes.length) throw new Error('reads behind the end');
    return bytes.slice(offset, offset + length);
  },
  close: async () => {},
});

const entry = (contents: number) =>
  fc.record({
    contentId: fc.nat(contents).map(idOf),
    packId: fc.nat(5).map((pack) => `p${pack}`),
    time: fc.integer({ min: 1000, max: 1004 }),
    isDeleted: fc.boolean(),
    offset: fc.nat(2 ** 30),
    length: fc.integer({ min: overhead, max: 2 ** 24 - 1 }),
  });
const file = fc.record({
  version: fc.constantFrom(1, 2),
  isInMemory: fc.boolean(),
  entries: fc.uniqueArray(entry(400), { maxLength: 300, selector: ({ contentId }) => contentId }),
});
const whole = (some: Omit<WrittenEntry, 'originalLength' | 'compressionHeaderId'>[]): WrittenEntry[] =>
  some.map((one) => ({ ...one, originalLength: one.length - overhead, compressionHeaderId: 0 }));

const opened = (files: { version: number; isInMemory: boolean; entries: WrittenEntry[] }[]) =>
  Promise.all(
    files.map(({ version, isInMemory, entries }, at) => {
      const bytes = version === 1 ? writeIndex1(entries) : writeIndex2(entries, 17, 1000);
      return IndexFile.open(`xn${at}`, isInMemory ? memorySource(bytes, () => {}) : partSource(bytes), signal);
    }),
  );

/** The rule of kopia: the latest entry; at equal times, existing before deleted; then the greater pack. */
const newestOf = (entries: WrittenEntry[], contentId: string) =>
  entries
    .filter((one) => one.contentId === contentId)
    .sort((a, b) => b.time - a.time || Number(a.isDeleted) - Number(b.isDeleted) || (a.packId < b.packId ? 1 : -1))[0];

describe('the index', () => {
  it('finds the newest entry of each content over all files, in both versions, in memory or not', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(file, { maxLength: 5 }),
        fc.array(fc.nat(420).map(idOf), { maxLength: 400 }),
        fc.integer({ min: 999, max: 1004 }),
        async (some, asked, deletedUntil) => {
          const files = some.map(({ entries, ...one }) => ({ ...one, entries: whole(entries) }));
          const all = files.flatMap(({ entries }) => entries);
          const index = new ContentIndex(await opened(files), deletedUntil);
          const found = await index.locate(asked, signal);
          for (const [at, contentId] of asked.entries()) {
            const newest = newestOf(all, contentId);
            const isThere = newest !== undefined && !(newest.isDeleted && newest.time <= deletedUntil);
            if (!isThere) expect(found[at]).toBeUndefined();
            // Two entries with the same time and pack: both are correct.
            else {
              expect(found[at]).toMatchObject({ contentId, packId: newest.packId });
              expect(all).toContainEqual(expect.objectContaining({ ...found[at], time: newest.time }));
            }
          }
          const manifests = (await index.withLetter('m', signal)).map(({ contentId }) => contentId);
          const there = new Set(all.map(({ contentId }) => contentId).filter((id) => id.startsWith('m')));
          expect(manifests.sort()).toEqual([...there].filter((id) => !newestOf(all, id)?.isDeleted).sort());
          const told: string[] = [];
          for await (const group of index.all((packId) => packId !== 'p3', signal))
            told.push(...group.map(({ contentId, packId }) => `${contentId} ${packId}`));
          const kept = [...new Set(all.map(({ contentId }) => contentId))].map((id) => newestOf(all, id));
          const expected = kept.filter((one) => one?.isDeleted === false && one.packId !== 'p3');
          expect(told.sort()).toEqual(expected.map((one) => `${one?.contentId} ${one?.packId}`).sort());
        },
      ),
      { numRuns: 60 },
    );
  });

  it('finds contents in a file with many blocks that is not in memory', async () => {
    const entries = whole(
      Array.from({ length: 20_000 }, (_, number) => ({
        contentId: idOf(number),
        packId: `p${number % 7}`,
        time: 1000,
        isDeleted: false,
        offset: number,
        length: 100,
      })),
    );
    const bytes = writeIndex2(entries, 19, 500);
    const reads: number[] = [];
    const counted = {
      ...partSource(bytes),
      read: (offset: number, length: number) => {
        reads.push(length);
        return partSource(bytes).read(offset, length, signal);
      },
    };
    const index = new ContentIndex([await IndexFile.open('xs1', counted, signal)], 0);
    reads.length = 0;
    const one = await index.locate([idOf(777)], signal);
    expect(one).toMatchObject([{ offset: 777, packId: 'p0' }]);
    // One lookup reads one or two blocks of 256 entries, and all lookups read the file once.
    expect(reads.reduce((sum, length) => sum + length, 0)).toBeLessThanOrEqual(2 * 256 * (17 + 19));
    reads.length = 0;
    const all = await index.locate(
      entries.map(({ contentId }) => contentId),
      signal,
    );
    expect(all.map((location) => location?.offset)).toEqual(entries.map(({ offset }) => offset));
    expect(reads.reduce((sum, length) => sum + length, 0)).toBeLessThan(1.2 * bytes.length);
  });

  it('reads lengths of more than 24 bits and packs of more than 16', async () => {
    const large = { time: 5, isDeleted: false, offset: 2 ** 30, length: 0xabcdef1, originalLength: 0xfedcba9 };
    const filler = Array.from({ length: 65_600 }, (_, number) => ({
      ...large,
      contentId: idOf(number),
      packId: `p${number}`,
      compressionHeaderId: 0x1100,
    }));
    const index = new ContentIndex(
      [
        await IndexFile.open(
          'xs1',
          memorySource(writeIndex2(filler, 19, 5), () => {}),
          signal,
        ),
      ],
      0,
    );
    const { time: _, isDeleted: __, ...location } = large;
    expect(await index.locate([idOf(65_599)], signal)).toEqual([
      { ...location, contentId: idOf(65_599), packId: 'p65599', compressionHeaderId: 0x1100 },
    ]);
  });

  it('finds nothing in a file without entries', async () => {
    const index = new ContentIndex(
      await opened([
        { version: 2, isInMemory: false, entries: [] },
        { version: 1, isInMemory: true, entries: [] },
      ]),
      0,
    );
    expect(await index.locate([idOf(1)], signal)).toEqual([undefined]);
  });

  it('never finds an unknown content, and always ends, for any damaged file', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.uniqueArray(entry(50), { minLength: 1, maxLength: 40, selector: ({ contentId }) => contentId }),
        fc.array(fc.tuple(fc.nat(), fc.nat(255)), { maxLength: 6 }),
        fc.nat(),
        async (some, changes, cut) => {
          const bytes = Buffer.from(writeIndex2(whole(some), 19, 1000));
          for (const [at, value] of changes) bytes[at % bytes.length] = value;
          const length = cut % 3 === 0 ? cut % bytes.length : bytes.length;
          const asked = some.map(({ contentId }) => contentId);
          const attempt = async (source: IndexSource) => {
            const index = new ContentIndex([await IndexFile.open('xn1', source, signal)], 0);
            return index.locate(asked, signal);
          };
          for (const source of [
            memorySource(bytes.subarray(0, length), () => {}),
            partSource(bytes.subarray(0, length)),
          ]) {
            const found = await attempt(source).catch((error: { code?: string }) => {
              expect(['INDEX_CORRUPT', 'REPOSITORY_FORMAT_UNSUPPORTED']).toContain(error.code);
              return [];
            });
            for (const [at, location] of found.entries())
              if (location !== undefined) expect(location.contentId).toBe(asked[at]);
          }
        },
      ),
      { numRuns: 200 },
    );
  });
});
