import { type Clock, type Logger, type Random, systemRandom } from '@lateen/kernel';
import type { ObjectStore } from '@lateen/object-store';
import { type FetchDeps, fetchRange, type ReadRequest } from './fetch-range.ts';
import type { PackReader, PackReaderFigures } from './pack-reader.ts';
import { readAll } from './read-all.ts';
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
  /** For bytes that are on their way or with a taker; more only while one slice is larger. */
  memoryBytes: number;
  /** Told of each request when it ends; must not throw. */
  onRequest?(request: ReadRequest): void;
}

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
  const { store, keyOf, clock, memoryBytes } = options;
  const memory = new SharedMemory(memoryBytes);
  const inFlight = new RequestsInFlight(clock, readLimits.inFlight);
  const waits = new Waits(memory, clock);
  const counted = { requests: 0, fetchedBytes: 0, usedBytes: 0, cachedBytes: 0 };
  const fetching: FetchDeps = {
    store,
    keyOf,
    clock,
    inFlight,
    random: options.random ?? systemRandom,
    onRequest: (request) => {
      counted.requests += 1;
      counted.fetchedBytes += request.bytes;
      options.onRequest?.(request);
    },
  };
  const rangeBytesMax = Math.min(readLimits.rangeBytesMax, Math.floor(memoryBytes / readLimits.rangesInMemory));
  const deps = { ...fetching, memory, waits, rangeLimits: () => ({ gapBytes: inFlight.gapBytes, rangeBytesMax }) };
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
    readOne: async ({ packId, offset, length }, signal) => {
      const bytes = new Uint8Array(length);
      await fetchRange(fetching, { packId, offset, length }, bytes, () => {}, signal);
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
      };
    },
    close: async () => {},
  };
}
