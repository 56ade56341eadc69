import { mkdir, mkdtemp, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type Logger, silentLogger, systemClock } from '@lateen/kernel';
import { s3Store } from '@lateen/object-store-s3';
import { type PackReader, type PackSlice, packReader, readLimits } from '@lateen/pack-reader';
import {
  type DistantStore,
  type S3Server,
  type StoreConditions,
  startDistantStore,
  startS3Server,
} from '@lateen/store-rig';
import { recordingLog } from '@lateen/testing';
import { execa } from 'execa';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';

/** Reads packs from a real S3 server through a proxy that can slow down, reject and cut. */
const MiB = 1024 * 1024;
const packBytes = 12 * MiB;
const packCount = 4;
const sliceBytes = 64 * 1024 - 7;
const never = new AbortController().signal;
let server: S3Server;
let distant: DistantStore;
let root: string;

interface Trouble {
  conditions?: StoreConditions;
  fault?(nth: number): ReturnType<NonNullable<DistantStore['onRequest']>>;
}

const aPack = (salt: number): Buffer => {
  const pack = Buffer.alloc(packBytes);
  for (let at = 0; at < packBytes; at += 4) pack.writeUInt32LE((Math.imul(at, 2_654_435_761) + salt) >>> 0, at);
  return pack;
};
const packs = Array.from({ length: packCount }, (_, at) => aPack(at));

beforeAll(async () => {
  root = await mkdtemp(join(tmpdir(), 'lateen-pack-reader-'));
  server = await startS3Server();
  await server.makeBucket('bucket');
  const store = s3Store(server.location({ bucket: 'bucket' }));
  for (const [at, pack] of packs.entries()) await store.put(`repo/p${at}`, pack);
  await store.close();
  distant = await startDistantStore({ upstream: server.endpoint, clock: systemClock });
}, 120_000);

afterEach(() => {
  distant.set({});
  distant.onRequest = undefined;
});

afterAll(async () => {
  await distant?.[Symbol.asyncDispose]();
  await server?.[Symbol.asyncDispose]();
  await rm(root, { recursive: true, force: true });
});

async function withReader(
  { log = silentLogger, directory }: { log?: Logger; directory?: string },
  use: (reader: PackReader) => Promise<void>,
): Promise<void> {
  const location = server.location({ bucket: 'bucket', endpoint: distant.endpoint });
  const store = s3Store(location, { connectionsMax: readLimits.inFlight.max, answerMs: 3_000 });
  const cache = directory === undefined ? undefined : { directory, bytesMax: 64 * MiB };
  const keyOf = (packId: string) => `repo/${packId}`;
  const reader = packReader({ store, keyOf, clock: systemClock, log, memoryBytes: 24 * MiB, cache });
  try {
    await use(reader);
  } finally {
    await reader.close();
    await store.close();
  }
}

const isRight = (bytes: Uint8Array, { packId, offset, length }: PackSlice) =>
  Buffer.compare(bytes, packs[Number(packId.slice(1))]?.subarray(offset, offset + length) ?? Buffer.alloc(0)) === 0;

/** Reads all slices, or every `step`th from `first` on. @returns how many had the correct bytes */
async function readSlices(reader: PackReader, { first = 0, step = 1 } = {}): Promise<number> {
  const slices = packs.flatMap((_, pack) =>
    Array.from({ length: Math.floor(packBytes / sliceBytes) }, (_, at) => at)
      .filter((at) => at % step === first)
      .map((at) => ({ packId: `p${pack}`, offset: at * sliceBytes, length: sliceBytes })),
  );
  const right = new Set<PackSlice>();
  await reader.readAll(
    slices,
    async ({ bytes, offset, slices }) => {
      for (const slice of slices) {
        if (isRight(bytes.subarray(slice.offset - offset).subarray(0, slice.length), slice)) right.add(slice);
      }
    },
    never,
  );
  expect(right.size).toBe(slices.length);
  return slices.length;
}

describe('packReader on a real S3 server', { timeout: 240_000 }, () => {
  it('reads everything with few requests', () =>
    withReader({}, async (reader) => {
      await readSlices(reader);
      expect(reader.figures.requests).toBeLessThanOrEqual(packCount * 6);
    }));

  it.each<[string, Trouble]>([
    ['is far away', { conditions: { latencyMs: 30 } }],
    ['gives little to each connection', { conditions: { latencyMs: 5, connectionBytesPerSecond: 8 * MiB } }],
    ['is throttled', { fault: (nth) => (nth % 3 === 0 ? { status: 503, code: 'SlowDown' } : undefined) }],
    [
      'has too many requests',
      { fault: (nth) => (nth % 4 === 1 ? { status: 429, code: 'TooManyRequests' } : undefined) },
    ],
    ['cuts every answer off', { fault: () => ({ cutAfterBytes: 1_500_000 }) }],
    ['does not answer some', { fault: (nth) => (nth % 5 === 2 ? { silent: true } : undefined) }],
  ])('reads everything from a store that %s', async (_, { conditions = {}, fault }) => {
    let nth = 0;
    distant.set(conditions);
    distant.onRequest = () => fault?.(nth++);
    await withReader({}, async (reader) => {
      const count = await readSlices(reader);
      const { fetchedBytes, usedBytes, latencyMs } = reader.figures;
      expect(usedBytes).toBe(count * sliceBytes);
      // Data that arrived before a cut is not requested again.
      expect(fetchedBytes).toBe(usedBytes);
      expect(latencyMs).toBeGreaterThanOrEqual(conditions.latencyMs ?? 0);
    });
  });

  it('waits for a store that is not reachable for a while', async () => {
    distant.set({ connectionBytesPerSecond: 2 * MiB });
    await withReader({}, async (reader) => {
      const reading = readSlices(reader);
      await systemClock.sleep(300);
      distant.set({ unreachable: true });
      await systemClock.sleep(1_500);
      distant.set({});
      await reading;
    });
  });

  it('ends with the cause when the store rejects for good', async () => {
    distant.onRequest = () => ({ status: 403, code: 'AccessDenied' });
    await withReader({}, async (reader) => {
      await expect(readSlices(reader)).rejects.toMatchObject({ code: 'OBJECT_STORE_FORBIDDEN' });
      const missing = reader.readOne({ packId: 'none', offset: 0, length: 1 }, never);
      await expect(missing).rejects.toMatchObject({ code: 'OBJECT_STORE_FORBIDDEN' });
      distant.onRequest = undefined;
      await expect(reader.readOne({ packId: 'none', offset: 0, length: 1 }, never)).rejects.toMatchObject({
        code: 'OBJECT_NOT_FOUND',
      });
      await expect(reader.readOne({ packId: 'p0', offset: packBytes - 1, length: 2 }, never)).rejects.toMatchObject({
        code: 'PACK_CUT',
      });
    });
  });

  it('keeps scattered packs on disk, and continues when the disk is full', async () => {
    const directory = join(root, 'small');
    await mkdir(directory);
    await execa('mount', ['-t', 'tmpfs', '-o', 'size=20m', 'lateen-test', directory]);
    try {
      const log = recordingLog();
      await withReader({ log, directory: join(directory, 'packs') }, async (reader) => {
        for (let first = 0; first < 6; first++) await readSlices(reader, { first, step: 6 });
        expect(reader.figures.cachedBytes).toBeGreaterThan(0);
      });
      expect(log.messages().length).toBeLessThanOrEqual(1);
      expect(await readdir(directory)).toEqual([]);
    } finally {
      await execa('umount', [directory]);
    }
  });
});
