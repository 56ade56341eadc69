import { type Clock, type Logger, type Random, systemRandom } from '@lateen/kernel';
import type { ObjectStore } from '@lateen/object-store';
import { DiskShelf } from './cache/disk-shelf.ts';
import { memoryShelf } from './cache/memory-shelf.ts';
import { WholePacks } from './cache/whole-packs.ts';
import { type FetchDeps, fetchRange } from './fetch-range.ts';
import type { PackReader, PackReaderFigures } from './pack-reader.ts';
import { readAll } from './read-all.ts';
import type { ReadRequest } from './read-request.ts';
import { RequestsInFlight } from './requests-in-flight.ts';
import { SharedMemory } from './shared-memory.ts';
import { Waits } from './waits.ts';

export interface PackReaderOptions {
  store: Pick<ObjectStore, 'read'>;
  /** The key of a pack in the store. */
  keyOf(packId: string): string;
  clock: Clock;
  log: Logger;
  random?: Random;
  /** For bytes that are on their way, with a taker, or kept; more only while one slice is larger. */
  memoryBytes: number;
  /** Where packs are kept that are read time and again: a directory of our own, which `close` deletes. */
  cache?: { directory: string; bytesMax: number } | undefined;
  /** Told of each request when it ends; must not throw. */
  onRequest?(request: ReadRequest): void;
}

/** Of `memoryBytes`, for packs that are read slice by slice; with a disk, it is for the time when that is full. */
const keptShare = { withDisk: 1 / 8, withoutDisk: 1 / 4 };

const MiB = 1024 * 1024;

export const readLimits = {
  /** The largest range: from here on a request is hardly longer than its bytes take. */
  rangeBytesMax: 8 * MiB,
  /** As many ranges fit into memory at least, or there would be fewer requests than a store can answer at once. */
  rangesInMemory: 8,
  /** Requests in flight; the store must allow as many connections. */
  inFlight: { first: 16, min: 2, max: 64 },
} as const;

/** Nothing is asked before the first call. */
export function packReader(options: PackReaderOptions): PackReader {
  const { store, keyOf, clock, cache, log } = options;
  const keptBytes = Math.floor(
    options.memoryBytes * (cache === undefined ? keptShare.withoutDisk : keptShare.withDisk),
  );
  const memoryBytes = options.memoryBytes - keptBytes;
  const memory = new SharedMemory(memoryBytes);
  const inFlight = new RequestsInFlight(clock, readLimits.inFlight);
  const waits = new Waits(memory, clock);
  const counted = { requests: 0, fetchedBytes: 0, usedBytes: 0, cachedBytes: 0, requestMs: 0, firstByteMs: 0 };
  const fetching: FetchDeps = {
    store,
    keyOf,
    clock,
    inFlight,
    random: options.random ?? systemRandom,
    onRequest: (request) => {
      counted.requests += 1;
      counted.fetchedBytes += request.bytes;
      counted.requestMs += request.durationMs;
      counted.firstByteMs += request.latencyMs ?? request.durationMs;
      options.onRequest?.(request);
    },
  };
  const rangeBytesMax = Math.min(readLimits.rangeBytesMax, Math.floor(memoryBytes / readLimits.rangesInMemory));
  const disk = cache === undefined ? undefined : new DiskShelf({ ...cache, log });
  const packs = new WholePacks({ fetching, disk, memory: memoryShelf(keptBytes) });
  const onCached = (bytes: number) => {
    counted.cachedBytes += bytes;
  };
  const rangeLimits = () => ({ gapBytes: inFlight.gapBytes, rangeBytesMax });
  const deps = { ...fetching, memory, waits, packs, onCached, rangeLimits };
  return {
    readAll: (slices, take, signal) =>
      readAll(
        deps,
        slices,
        (fetched) => {
          for (const { length } of fetched.slices) counted.usedBytes += length;
          return take(fetched);
        },
        signal,
      ),
    readOne: async (slice, signal) => {
      const { length } = slice;
      const bytes = new Uint8Array(length);
      waits.runs(1);
      try {
        if (await packs.readOne(slice, bytes, signal)) onCached(length);
        else await fetchRange(fetching, slice, bytes, () => {}, signal);
      } finally {
        waits.runs(-1);
      }
      counted.usedBytes += length;
      return bytes;
    },
    get figures(): PackReaderFigures {
      return {
        ...counted,
        latencyMs: inFlight.latencyMs,
        inFlight: inFlight.inFlight,
        waitedForTakerMs: waits.forTakerMs,
        waitedForStoreMs: waits.forStoreMs,
        waitedForMemoryMs: waits.forMemoryMs,
      };
    },
    close: () => packs.close(),
  };
}
