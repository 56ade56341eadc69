import type { PackReaderFigures } from '@lateen/pack-reader';

/** What a reader has taken since then; what it has found out by now. A restore does not count what opening the repository took. */
export function figuresSince(before: PackReaderFigures, now: PackReaderFigures): PackReaderFigures {
  return {
    requests: now.requests - before.requests,
    fetchedBytes: now.fetchedBytes - before.fetchedBytes,
    usedBytes: now.usedBytes - before.usedBytes,
    cachedBytes: now.cachedBytes - before.cachedBytes,
    latencyMs: now.latencyMs,
    requestMs: now.requestMs - before.requestMs,
    firstByteMs: now.firstByteMs - before.firstByteMs,
    inFlight: now.inFlight,
    waitedForTakerMs: now.waitedForTakerMs - before.waitedForTakerMs,
    waitedForStoreMs: now.waitedForStoreMs - before.waitedForStoreMs,
    waitedForMemoryMs: now.waitedForMemoryMs - before.waitedForMemoryMs,
  };
}
