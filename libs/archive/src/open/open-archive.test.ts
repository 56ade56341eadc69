import { createHash } from 'node:crypto';
import { mkdtemp, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { isAppError } from '@lateen/errors';
import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { archiveWriter, tarGzWriter } from '../archive-writer.ts';
import { blockBytes, paddingOf } from '../tar/block.ts';
import { entryHeaders } from '../tar/entry-header.ts';
import { type OpenArchiveOptions, openArchive } from './open-archive.ts';

type Entry = readonly [path: string, body: string | Uint8Array];

const never = new AbortController().signal;
let scratchDirectory: string;
beforeAll(async () => {
  scratchDirectory = await mkdtemp(join(tmpdir(), 'lateen-open-archive-'));
});
afterAll(() => rm(scratchDirectory, { recursive: true }));

async function* cut(bytes: Uint8Array, size = 65_536): AsyncGenerator<Uint8Array> {
  for (let at = 0; at < bytes.length; at += size) yield bytes.subarray(at, at + size);
}

/** An uncompressed tar without a version entry, as any tool may write it. */
function tarOf(entries: readonly Entry[]): Buffer {
  const headerOf = entryHeaders(0);
  const blocks = entries.flatMap(([path, body]) => {
    const bytes = Buffer.from(body);
    return [Buffer.from(headerOf(path, bytes.length)), bytes, Buffer.alloc(paddingOf(bytes.length))];
  });
  return Buffer.concat([...blocks, Buffer.alloc(2 * blockBytes)]);
}

async function ours(entries: readonly Entry[], writerOf = archiveWriter): Promise<Buffer> {
  const writer = writerOf({ mtimeMs: 0 });
  const pieces = Array.fromAsync(writer.pieces);
  for (const [path, body] of entries) await writer.add(path, body);
  await writer.end();
  return Buffer.concat(await pieces);
}

const opened = (packed: Uint8Array, options: Partial<OpenArchiveOptions> = {}) =>
  openArchive(cut(packed), { scratchDirectory, ...options });

/** IDs by path, as reported on opening. */
async function withIds(packed: Uint8Array, options: Partial<OpenArchiveOptions> = {}) {
  const ids = new Map<string, number>();
  const archive = await opened(packed, { ...options, onEntry: ({ path, id }) => void ids.set(path, id) });
  const read = async (path: string) => Buffer.from(await archive.read(ids.get(path) ?? -1, never));
  return { archive, ids, read };
}

const incompressible = (bytes: number): Buffer => createHash('shake256', { outputLength: bytes }).digest();

describe('an opened archive', () => {
  const path = fc.stringMatching(/^[a-z]{1,8}(\/[a-z]{1,8}){0,3}$/);
  const body = fc.oneof(
    fc.json().map((text) => Buffer.from(text)),
    fc
      .tuple(fc.constantFrom(0, 1, 512, 65_536, 262_144, 700_000), fc.integer({ min: -2, max: 2 }), fc.nat(255))
      .map(([bytes, more, fill]) => Buffer.alloc(Math.max(0, bytes + more), fill)),
  );
  const entries = fc.uniqueArray(fc.tuple(path, body), { selector: ([name]) => name, minLength: 1, maxLength: 25 });

  it('returns each body as stored, for any writer and storage, in any order and in parallel', async () => {
    const writers = [
      (list: readonly Entry[]) => ours(list),
      async (list: readonly Entry[]) => gzipSync(tarOf(list)),
      async (list: readonly Entry[]) => tarOf(list),
    ];
    await fc.assert(
      fc.asyncProperty(
        entries,
        fc.constantFrom(...writers),
        fc.constantFrom(0, 10_000, 10_000_000),
        fc.constantFrom(1, 300_000, 10_000_000),
        fc.integer(),
        async (list, write, memoryBytesMax, unpackedBytesMax, seed) => {
          const { archive, read } = await withIds(await write(list), { memoryBytesMax, unpackedBytesMax });
          const shuffled = list
            .map((entry, at) => ({ entry, order: Math.imul(at + 1, seed | 1) }))
            .sort((one, other) => one.order - other.order)
            .map(({ entry }) => entry);
          const bodies = await Promise.all(shuffled.map(async ([name]) => (await read(name)).toString('base64')));
          expect(bodies).toEqual(shuffled.map(([, stored]) => Buffer.from(stored).toString('base64')));
          await archive.close();
        },
      ),
      { numRuns: 60 },
    );
    expect(await readdir(scratchDirectory)).toEqual([]);
  });

  it('keeps a body once that two consecutive entries share', async () => {
    const half = incompressible(400_000);
    const { archive, ids, read } = await withIds(
      await ours([
        ['a', half],
        ['v1/a', half],
        ['b', 'other'],
        ['v1/b', 'other'],
      ]),
    );
    expect(ids.get('v1/a')).toBe(ids.get('a'));
    expect(ids.get('v1/b')).toBe(ids.get('b'));
    expect(ids.get('b')).not.toBe(ids.get('a'));
    expect(archive.packedBytes).toBeLessThan(410_000);
    expect((await read('v1/b')).toString()).toBe('other');
  });

  it('moves into an unnamed file above its memory limit, and closes the file', async () => {
    const packed = await ours(Array.from({ length: 8 }, (_, at) => [`${at}`, incompressible(300_000 + at)] as const));
    const small = await opened(packed);
    expect(small.isInMemory).toBe(true);
    const { archive, read } = await withIds(packed, { memoryBytesMax: 1_000_000 });
    expect(archive.isInMemory).toBe(false);
    expect(await readdir(scratchDirectory)).toEqual([]);
    expect((await read('7')).length).toBe(300_007);
    await archive.close();
    await archive.close();
    await expect(read('0')).rejects.toMatchObject({ code: 'ARCHIVE_CLOSED' });
  });

  it('releases one aborted reader without the others that wait for the same member', async () => {
    const { archive, ids } = await withIds(await ours([['a', 'x'.repeat(200_000)]]));
    const leaving = new AbortController();
    const first = archive.read(ids.get('a') ?? -1, leaving.signal);
    const second = archive.read(ids.get('a') ?? -1, never);
    leaving.abort(new Error('enough'));
    await expect(first).rejects.toThrow('enough');
    expect((await second).length).toBe(200_000);
  });

  it('rejects an ID that it never returned', async () => {
    const archive = await opened(await ours([]));
    for (const id of [-1, 1, 0.5]) {
      await expect(archive.read(id, never)).rejects.toMatchObject({ code: 'ARCHIVE_ENTRY_UNKNOWN' });
    }
  });
});

describe('the format version of an archive', () => {
  const version = (text: string) => ours([['metadata/version', text]], tarGzWriter);

  it.each(['1', '1.0.0', '1.1.0', '1.2.0', '1.10'])('%s is accepted', async (text) => {
    expect((await opened(await version(`${text}\n`))).formatVersion).toBe(text);
  });

  it('may be missing, as in the first archives', async () => {
    expect((await opened(gzipSync(tarOf([['a', 'x']])))).formatVersion).toBeUndefined();
  });

  it.each([
    ['2.0.0', 'the archive has format version 2.0.0; only versions up to 1.x can be read'],
    ['10', 'the archive has format version 10; only versions up to 1.x can be read'],
    ['next', 'the archive names "next" as its format version; only versions up to 1.x can be read'],
    ['', 'the archive names "" as its format version; only versions up to 1.x can be read'],
  ])('%j is rejected', async (text, message) => {
    await expect(version(`${text}\n`).then((packed) => opened(packed))).rejects.toMatchObject({
      code: 'ARCHIVE_FORMAT_UNKNOWN',
      message,
      nextStep: 'Restore it with the program that wrote it, or with a newer version of Lateen.',
    });
  });
});

describe('opening a damaged or malicious archive', () => {
  const small = tarOf([['a', 'x']]);
  const rows: [string, () => Promise<Uint8Array>, Partial<OpenArchiveOptions>, string, string | RegExp][] = [
    [
      'was cut in a member',
      async () => gzipSync(small).subarray(0, -10),
      {},
      'ARCHIVE_BROKEN',
      'the archive is damaged or incomplete: it cannot be unpacked',
    ],
    [
      'was cut behind an entry',
      async () => gzipSync(small.subarray(0, 1024)),
      {},
      'ARCHIVE_BROKEN',
      'the archive is damaged or incomplete: its end is missing',
    ],
    [
      'has a byte that was changed',
      async () => {
        const packed = gzipSync(tarOf([['a', incompressible(5_000)]]));
        return packed.fill((packed[2_500] ?? 0) ^ 0xff, 2_500, 2_501);
      },
      {},
      'ARCHIVE_BROKEN',
      'the archive is damaged or incomplete: it cannot be unpacked',
    ],
    ['is empty', async () => Buffer.alloc(0), {}, 'ARCHIVE_BROKEN', /it cannot be unpacked/],
    ['is something else', async () => Buffer.alloc(600, 'a'), {}, 'ARCHIVE_BROKEN', /no valid tar header/],
    [
      'leads out of the archive',
      async () => gzipSync(tarOf([['resources/../../etc/passwd', 'x']])),
      {},
      'ARCHIVE_PATH_ESCAPES',
      'invalid archive path "resources/../../etc/passwd": escapes target directory',
    ],
    [
      'unpacks to more than is read',
      async () => gzipSync(tarOf([['a', Buffer.alloc(3_000_000)]])),
      { limits: { totalBytesMax: 1_000_000 } },
      'ARCHIVE_TOO_LARGE',
      'the archive unpacks to more than 977 KiB, the most that is read',
    ],
    [
      'has an entry that is larger than any object',
      async () => gzipSync(tarOf([['a', Buffer.alloc(3_000_000)]])),
      { limits: { entryBytesMax: 1_000_000 } },
      'ARCHIVE_TOO_LARGE',
      '"a" in the archive has 2.86 MiB; the most that is read of one is 977 KiB',
    ],
    [
      'takes more than the scratch directory may hold',
      () => ours([['a', incompressible(400_000)]]),
      { memoryBytesMax: 0, scratchBytesMax: 100_000 },
      'ARCHIVE_TOO_LARGE',
      'the archive takes more than 97.7 KiB compressed, the most that is kept in the scratch directory',
    ],
    [
      'has no scratch directory',
      () => ours([['a', 'x']]),
      { memoryBytesMax: 0, scratchDirectory: '/proc/none' },
      'ARCHIVE_SCRATCH_FAILED',
      'the archive cannot be kept in the scratch directory /proc/none',
    ],
  ];
  it.each(rows)('fails for an archive that %s', async (_, packed, options, code, message) => {
    const error: unknown = await opened(await packed(), options).catch((reason: unknown) => reason);
    expect(isAppError(error, code)).toBe(true);
    expect((error as Error).message).toMatch(message);
    expect(await readdir(scratchDirectory)).toEqual([]);
  });

  it('closes its source when it ends early, with the reason', async () => {
    let isLeft = false;
    const endless = async function* () {
      try {
        for (;;) yield tarOf([['a', 'x']]).subarray(0, 1024);
      } finally {
        isLeft = true;
      }
    };
    const stop = new AbortController();
    let entries = 0;
    const onEntry = () => {
      if (++entries === 100) stop.abort(new Error('enough'));
    };
    const opening = openArchive(endless(), { scratchDirectory, onEntry, signal: stop.signal });
    await expect(opening).rejects.toThrow('enough');
    await expect.poll(() => isLeft).toBe(true);
    expect(entries).toBe(100);
  });

  it('fails with the error of its source', async () => {
    const source = async function* () {
      yield gzipSync(small).subarray(0, 20);
      throw new Error('the bucket is gone');
    };
    await expect(openArchive(source(), { scratchDirectory })).rejects.toThrow('the bucket is gone');
  });
});
