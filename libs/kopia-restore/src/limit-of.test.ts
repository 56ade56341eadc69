import { describe, expect, it } from 'vitest';
import { type LimitFigures, limitOf } from './limit-of.ts';

const MB = 1_000_000;

/** A restore of 100 s on two CPUs that waited for the store most of the time, and not for itself. */
const waiting: LimitFigures = {
  seconds: 100,
  cpus: 2,
  cpuSeconds: 40,
  inFlightMax: 16,
  bytesPerSecondMax: undefined,
  reader: {
    requests: 1000,
    fetchedBytes: 1000 * MB,
    latencyMs: 20,
    inFlight: 4,
    waitedForTakerMs: 1_000,
    waitedForStoreMs: 60_000,
  },
};
const reader = (changed: Partial<LimitFigures['reader']>) => ({ reader: { ...waiting.reader, ...changed } });
const busy = reader({ waitedForTakerMs: 60_000, waitedForStoreMs: 1_000 });

const rows: [string, Partial<LimitFigures>, string | undefined][] = [
  ['bytes that come slowly', {}, 'store-bandwidth'],
  ['requests that are mostly waited for', reader({ latencyMs: 300 }), 'store-latency'],
  ['the same, with no memory for more of them', { ...reader({ latencyMs: 300 }), inFlightMax: 4 }, 'memory'],
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
  ['nothing to fetch', { ...reader({ requests: 0, fetchedBytes: 0, latencyMs: 0, waitedForStoreMs: 0 }) }, 'disk'],
  ['no time at all', { seconds: 0.2 }, undefined],
];

describe('limitOf', () => {
  it.each(rows)('of %s', (_, changed, limit) => {
    expect(limitOf({ ...waiting, ...changed })).toBe(limit);
  });
});
