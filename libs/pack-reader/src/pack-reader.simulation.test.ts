import { AppError } from '@lateen/errors';
import { silentLogger } from '@lateen/kernel';
import type { ObjectStore } from '@lateen/object-store';
import { FakeClock, seededRandom } from '@lateen/testing';
import { describe, expect, it } from 'vitest';
import { packReader } from './open-pack-reader.ts';

const KiB = 1024;
const MiB = 1024 * KiB;

interface Line {
  latencyMs: number;
  /** Bandwidth of one request, and of all together. */
  bytesPerMs: { each: number; all: number };
  /** More requests than this in flight are answered with 503. */
  inFlightMax?: number;
}

/** A store with simulated time: each chunk takes as long as its share of the bandwidth allows. */
function distantStore(clock: FakeClock, line: Line) {
  let [inFlight, most, refused] = [0, 0, 0];
  let freeAtMs = 0;
  const piece = new Uint8Array(64 * KiB);
  const read: ObjectStore['read'] = async function* (_, { range, signal } = {}) {
    inFlight++;
    most = Math.max(most, inFlight);
    try {
      await clock.sleep(line.latencyMs, signal);
      if (inFlight > (line.inFlightMax ?? Number.POSITIVE_INFINITY)) {
        refused++;
        throw new AppError('OBJECT_STORE_UNAVAILABLE', 'slow down', { retry: 'soon' });
      }
      for (let left = range?.length ?? 0; left > 0; left -= piece.length) {
        const bytes = Math.min(left, piece.length);
        const nowMs = clock.monotonicMs();
        freeAtMs = Math.max(freeAtMs, nowMs) + bytes / line.bytesPerMs.all;
        await clock.sleep(Math.max(freeAtMs - nowMs, bytes / line.bytesPerMs.each), signal);
        yield piece.subarray(0, bytes);
      }
    } finally {
      inFlight--;
    }
  };
  return { read, most: () => most, refused: () => refused };
}

/** Reads slices of `sliceBytes`, `everyBytes` apart; returns the simulated time and what the reader measured. */
async function readFrom(
  line: Line,
  {
    totalBytes,
    sliceBytes,
    everyBytes = sliceBytes,
    takeMs = 0,
    memoryBytes = 64 * MiB,
  }: { totalBytes: number; sliceBytes: number; everyBytes?: number; takeMs?: number; memoryBytes?: number },
) {
  const clock = new FakeClock();
  const store = distantStore(clock, line);
  const reader = packReader({
    store,
    keyOf: (packId) => packId,
    clock,
    log: silentLogger,
    random: seededRandom(1),
    memoryBytes,
  });
  const packBytes = 20 * MiB;
  const slices = Array.from({ length: Math.ceil(totalBytes / sliceBytes) }, (_, at) => ({
    packId: `p${Math.floor((at * everyBytes) / packBytes)}`,
    offset: (at * everyBytes) % packBytes,
    length: sliceBytes,
  }));
  let [done, ms] = [false, 0];
  const never = new AbortController().signal;
  let turn = Promise.resolve();
  const reading = reader
    .readAll(
      slices,
      (fetched) => {
        // One consumer, which takes this long for each slice.
        const mine = turn.then(() => (takeMs === 0 ? undefined : clock.sleep(takeMs * fetched.slices.length)));
        turn = mine.then(() => {});
        return turn;
      },
      never,
    )
    .then(() => {
      [done, ms] = [true, clock.monotonicMs()];
    });
  await clock.advanceUntil(() => done, { withinMs: 3_600_000 });
  await reading;
  return { ms, figures: reader.figures, most: store.most(), refused: store.refused() };
}

describe('packReader on a simulated link', () => {
  it('reaches nearly the bandwidth of a fast link with high latency, through more parallel requests', async () => {
    const line = { latencyMs: 30, bytesPerMs: { each: 20 * KiB, all: 400 * KiB } };
    const totalBytes = 768 * MiB;
    const { ms, figures, most } = await readFrom(line, {
      totalBytes,
      sliceBytes: 1 * MiB,
      memoryBytes: 512 * MiB,
    });
    const ideal = totalBytes / line.bytesPerMs.all;
    expect(ms).toBeLessThan(ideal * 1.6);
    expect(figures.inFlight).toBeGreaterThan(16);
    expect(most).toBeLessThanOrEqual(64);
    expect(figures.latencyMs).toBeGreaterThanOrEqual(30);
    expect(figures.waitedForStoreMs).toBeGreaterThan(ms * 0.8);
    expect(figures.firstByteMs).toBeLessThan(figures.requestMs * 0.3);
  });

  it('has no more requests in flight than a slow link needs', async () => {
    const line = { latencyMs: 5, bytesPerMs: { each: 20 * KiB, all: 40 * KiB } };
    const totalBytes = 128 * MiB;
    const { ms, figures } = await readFrom(line, { totalBytes, sliceBytes: 256 * KiB });
    expect(ms).toBeLessThan((totalBytes / line.bytesPerMs.all) * 1.1);
    expect(figures.inFlight).toBeLessThanOrEqual(20);
  });

  it('sends fewer requests to a store that rejects some, and completes', async () => {
    const line = { latencyMs: 10, bytesPerMs: { each: 50 * KiB, all: 400 * KiB }, inFlightMax: 6 };
    const { figures, refused } = await readFrom(line, { totalBytes: 256 * MiB, sliceBytes: 512 * KiB });
    expect(figures.inFlight).toBeLessThanOrEqual(10);
    expect(refused / figures.requests).toBeLessThan(0.3);
  });

  it('reads across small gaps and skips large ones, by the cost of a request on this link', async () => {
    const far = { latencyMs: 100, bytesPerMs: { each: 20 * KiB, all: 400 * KiB } };
    const near = { latencyMs: 1, bytesPerMs: { each: 20 * KiB, all: 400 * KiB } };
    const scattered = { totalBytes: 64 * MiB, sliceBytes: 256 * KiB, everyBytes: 512 * KiB };
    const [a, b] = [await readFrom(far, scattered), await readFrom(near, scattered)];
    expect(a.figures.requests).toBeLessThan(100);
    expect(b.figures.requests).toBe(256);
    expect(b.figures.fetchedBytes).toBe(64 * MiB);
  });

  it('reports a wait for memory when memory is too small for the link', async () => {
    const line = { latencyMs: 300, bytesPerMs: { each: 20 * KiB, all: 400 * KiB } };
    const sizes = { totalBytes: 64 * MiB, sliceBytes: 256 * KiB };
    const { ms, figures } = await readFrom(line, { ...sizes, memoryBytes: 4 * MiB });
    expect(figures.waitedForMemoryMs).toBeGreaterThan(ms * 0.5);
    expect(figures.firstByteMs).toBeGreaterThan(figures.requestMs * 0.8);
  });

  it('reports a wait for the consumer when it is slower than the link', async () => {
    const line = { latencyMs: 1, bytesPerMs: { each: 100 * KiB, all: 400 * KiB } };
    const { ms, figures } = await readFrom(line, { totalBytes: 256 * MiB, sliceBytes: 1 * MiB, takeMs: 50 });
    expect(figures.waitedForTakerMs).toBeGreaterThan(ms * 0.5);
    expect(figures.waitedForStoreMs).toBeLessThan(ms * 0.1);
  });
});
