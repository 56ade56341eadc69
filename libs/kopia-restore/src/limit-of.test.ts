import { describe, expect, it } from 'vitest';
import { type LimitFigures, limitOf } from './limit-of.ts';

const MB = 1_000_000;

/** A restore of 100 s on two CPUs that waited most of the time for the store, and not for itself. */
const waiting: LimitFigures = {
  seconds: 100,
  cpus: 2,
  cpuSeconds: 40,
  bytesPerSecondMax: undefined,
  reader: {
    requests: 1000,
    fetchedBytes: 1000 * MB,
    requestMs: 400_000,
    firstByteMs: 20_000,
    waitedForTakerMs: 1_000,
    waitedForStoreMs: 60_000,
    waitedForMemoryMs: 0,
  },
};
const reader = (changed: Partial<LimitFigures['reader']>) => ({ reader: { ...waiting.reader, ...changed } });
const busy = reader({ waitedForTakerMs: 60_000, waitedForStoreMs: 1_000 });

const rows: [string, Partial<LimitFigures>, string | undefined][] = [
  ['bytes that come slowly', {}, 'store-bandwidth'],
  ['requests that are mostly waited for', reader({ firstByteMs: 300_000 }), 'store-latency'],
  ['the same, with no memory for more of them', reader({ firstByteMs: 300_000, waitedForMemoryMs: 50_000 }), 'memory'],
  ['memory that is full of bytes which come slowly', reader({ waitedForMemoryMs: 50_000 }), 'store-bandwidth'],
  // 6,000 files in 50 generations with 30 ms latency (bench/RESULTS.md): never as many requests in flight as allowed.
  [
    'few requests, one after the other',
    {
      ...reader({
        requests: 119,
        fetchedBytes: 49 * MB,
        requestMs: 5_400,
        firstByteMs: 3_900,
        waitedForStoreMs: 2_000,
        waitedForTakerMs: 0,
      }),
      seconds: 3.7,
      cpuSeconds: 2,
    },
    'store-latency',
  ],
  // 300,000 and 840,000 files within 256 MiB (bench/RESULTS.md): no wait for the store, and the CPUs were not busy with it.
  [
    'small files at once',
    { ...reader({ requests: 39, waitedForStoreMs: 1_000 }), seconds: 22.7, cpuSeconds: 15.2 },
    'disk',
  ],
  [
    'small files in little memory',
    { ...reader({ requests: 941, waitedForStoreMs: 9_000 }), seconds: 154, cpuSeconds: 59 },
    'disk',
  ],
  [
    'small files on CPUs that nobody else uses',
    { ...reader({ requests: 39, waitedForStoreMs: 500 }), seconds: 8.5, cpuSeconds: 14.5 },
    'cpu',
  ],
  ['a rate that is used up', { bytesPerSecondMax: 11 * MB }, 'rate'],
  ['a rate that is far away', { bytesPerSecondMax: 100 * MB }, 'store-bandwidth'],
  ['no CPU to listen to the store with', { cpuSeconds: 190 }, 'cpu'],
  ['writers that have no CPU', { ...busy, cpuSeconds: 180 }, 'cpu'],
  ['writers that have CPU and wait', { ...busy, cpuSeconds: 60 }, 'disk'],
  [
    'waits for the first bytes alone, and no memory that was full',
    { ...reader({ waitedForTakerMs: 0, waitedForStoreMs: 8_000 }), cpuSeconds: 180 },
    'cpu',
  ],
  ['half a CPU, all of it used', { ...busy, cpus: 0.5, cpuSeconds: 45 }, 'cpu'],
  [
    'nothing to fetch',
    { ...reader({ requests: 0, fetchedBytes: 0, requestMs: 0, firstByteMs: 0, waitedForStoreMs: 0 }) },
    'disk',
  ],
  ['no time at all', { seconds: 0.2 }, undefined],
];

describe('limitOf', () => {
  it.each(rows)('for %s', (_, changed, limit) => {
    expect(limitOf({ ...waiting, ...changed })).toBe(limit);
  });
});
