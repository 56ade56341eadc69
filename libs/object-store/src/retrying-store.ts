import type { ObjectStore } from './object-store.ts';
import { type RetryCalls, retryCalls, type StoreRetryDeps } from './retry-calls.ts';

/**
 * `store`, whose calls are tried again after errors with the fate `soon`, with jittered backoff and a budget that all
 * calls share. Every call is idempotent: a `put` or `delete` whose answer was lost is simply done again.
 * A stream is tried again only before its first piece was given out, and `write` only while its source is untouched;
 * after that the error goes to the caller, which alone can begin again.
 */
export function retryingStore(store: ObjectStore, deps: StoreRetryDeps): ObjectStore {
  const calls = retryCalls(deps);
  return {
    listCommonPrefixes: (prefix, options) =>
      calls.run(options?.signal, () => store.listCommonPrefixes(prefix, options)),
    list: (prefix, options) => stream(calls, options?.signal, () => store.list(prefix, options)),
    exists: (key, options) => calls.run(options?.signal, () => store.exists(key, options)),
    get: (key, options) => calls.run(options?.signal, () => store.get(key, options)),
    put: (key, body, options) => calls.run(options?.signal, () => store.put(key, body, options)),
    read: (key, options) => stream(calls, options?.signal, () => store.read(key, options)),
    write: (key, pieces, options) => write(calls, store, key, pieces, options?.signal),
    endAbandonedWrites: (key, options) => calls.run(options?.signal, () => store.endAbandonedWrites(key, options)),
    delete: (key, options) => calls.run(options?.signal, () => store.delete(key, options)),
    signedUrl: (key, options) => calls.run(options.signal, () => store.signedUrl(key, options)),
    close: () => store.close(),
  };
}

async function* stream<Piece>(
  calls: RetryCalls,
  signal: AbortSignal | undefined,
  open: () => AsyncIterable<Piece>,
): AsyncGenerator<Piece> {
  let given = false;
  const tries = calls.tries(signal);
  for (;;) {
    try {
      for await (const piece of open()) {
        given = true;
        yield piece;
      }
      calls.succeeded();
      return;
    } catch (error) {
      if (given) throw error;
      await tries.afterFailure(error);
    }
  }
}

async function write(
  calls: RetryCalls,
  store: ObjectStore,
  key: string,
  pieces: AsyncIterable<Uint8Array>,
  signal: AbortSignal | undefined,
): Promise<void> {
  let begun = false;
  const source: AsyncIterable<Uint8Array> = {
    [Symbol.asyncIterator]: () => {
      begun = true;
      return pieces[Symbol.asyncIterator]();
    },
  };
  const tries = calls.tries(signal);
  for (;;) {
    try {
      await store.write(key, source, { signal });
      calls.succeeded();
      return;
    } catch (error) {
      if (begun) throw error;
      await tries.afterFailure(error);
    }
  }
}
