import type { Clock } from '@lateen/kernel';
import type { ObjectStore } from './object-store.ts';
import { type TokenBucket, tokenBucket } from './token-bucket.ts';

/** What one or more stores may move together. `setRate` of either works at once, also for transfers under way. */
export interface TransferRates {
  up: TokenBucket;
  down: TokenBucket;
}

/** @param bytesPerSecond absent is without a limit */
export function transferRates(bytesPerSecond: { up?: number; down?: number }, clock: Clock): TransferRates {
  return { up: tokenBucket(bytesPerSecond.up, clock), down: tokenBucket(bytesPerSecond.down, clock) };
}

/**
 * `store`, whose bodies move no faster than `rates`; listings and other small calls pass. A `get` cannot know its size
 * before, so it pays afterwards and the next transfer waits.
 */
export function throttledStore(store: ObjectStore, rates: TransferRates): ObjectStore {
  return {
    listCommonPrefixes: (prefix, options) => store.listCommonPrefixes(prefix, options),
    list: (prefix, options) => store.list(prefix, options),
    exists: (key, options) => store.exists(key, options),
    get: async (key, options) => {
      const body = await store.get(key, options);
      await rates.down.take(body.length, options?.signal);
      return body;
    },
    put: async (key, body, options) => {
      await rates.up.take(body.length, options?.signal);
      await store.put(key, body, options);
    },
    read: (key, options) => paced(store.read(key, options), rates.down, options?.signal),
    write: (key, pieces, options) => store.write(key, paced(pieces, rates.up, options?.signal), options),
    endAbandonedWrites: (key, options) => store.endAbandonedWrites(key, options),
    delete: (key, options) => store.delete(key, options),
    signedUrl: (key, options) => store.signedUrl(key, options),
    close: () => store.close(),
  };
}

async function* paced(
  pieces: AsyncIterable<Uint8Array>,
  bucket: TokenBucket,
  signal: AbortSignal | undefined,
): AsyncGenerator<Uint8Array> {
  for await (const piece of pieces) {
    await bucket.take(piece.length, signal);
    yield piece;
  }
}
