import { isAppError } from '@lateen/errors';
import type { Clock } from '@lateen/kernel';
import type { ObjectStore } from './object-store.ts';

export type StoreOperation = Exclude<keyof ObjectStore, 'close'>;

/** One call that has ended. */
export interface StoreCallEnd {
  operation: StoreOperation;
  /** `ok`; `aborted` by its caller (a loop that was left counts as ok); else the AppError's code, or `error`. */
  result: string;
  durationMs: number;
  /** Of bodies, not of headers and listings. */
  bytesUp: number;
  bytesDown: number;
}

/** Learns of every call of a store; an app makes metrics of it. Must not throw. */
export interface StoreObserver {
  began(operation: StoreOperation): void;
  ended(call: StoreCallEnd): void;
}

interface Counted {
  bytesUp: number;
  bytesDown: number;
}

/** `store`, each call of which is reported to `observer` when it begins and when it ends; a stream ends with its last piece. */
export function observedStore(store: ObjectStore, observer: StoreObserver, clock: Clock): ObjectStore {
  const { call, stream } = watchOf(observer, clock);
  return {
    listCommonPrefixes: (prefix, options) =>
      call('listCommonPrefixes', options?.signal, () => store.listCommonPrefixes(prefix, options)),
    list: (prefix, options) => stream('list', options?.signal, store.list(prefix, options), () => 0),
    exists: (key, options) => call('exists', options?.signal, () => store.exists(key, options)),
    get: (key, options) =>
      call('get', options?.signal, async (counted) => {
        const body = await store.get(key, options);
        counted.bytesDown = body.length;
        return body;
      }),
    put: (key, body, options) =>
      call('put', options?.signal, async (counted) => {
        await store.put(key, body, options);
        counted.bytesUp = body.length;
      }),
    read: (key, options) => stream('read', options?.signal, store.read(key, options), (piece) => piece.length),
    write: (key, pieces, options) =>
      call('write', options?.signal, (counted) => store.write(key, countedUp(pieces, counted), options)),
    endAbandonedWrites: (key, options) =>
      call('endAbandonedWrites', options?.signal, () => store.endAbandonedWrites(key, options)),
    delete: (key, options) => call('delete', options?.signal, () => store.delete(key, options)),
    signedUrl: (key, options) => call('signedUrl', options.signal, () => store.signedUrl(key, options)),
    close: () => store.close(),
  };
}

function watchOf(observer: StoreObserver, clock: Clock) {
  const begin = (operation: StoreOperation, signal: AbortSignal | undefined) => {
    const startMs = clock.monotonicMs();
    const counted: Counted = { bytesUp: 0, bytesDown: 0 };
    let result = 'ok';
    observer.began(operation);
    return {
      counted,
      failed: (error: unknown) => {
        result = resultOf(error, signal);
        return error;
      },
      end: () => observer.ended({ operation, result, durationMs: clock.monotonicMs() - startMs, ...counted }),
    };
  };
  return {
    call: async <Result>(
      operation: StoreOperation,
      signal: AbortSignal | undefined,
      work: (counted: Counted) => Promise<Result>,
    ): Promise<Result> => {
      const { counted, failed, end } = begin(operation, signal);
      try {
        return await work(counted);
      } catch (error) {
        throw failed(error);
      } finally {
        end();
      }
    },
    stream: async function* <Piece>(
      operation: StoreOperation,
      signal: AbortSignal | undefined,
      source: AsyncIterable<Piece>,
      sizeOf: (piece: Piece) => number,
    ): AsyncGenerator<Piece> {
      const { counted, failed, end } = begin(operation, signal);
      try {
        for await (const piece of source) {
          counted.bytesDown += sizeOf(piece);
          yield piece;
        }
      } catch (error) {
        throw failed(error);
      } finally {
        end();
      }
    },
  };
}

async function* countedUp(pieces: AsyncIterable<Uint8Array>, counted: Counted): AsyncGenerator<Uint8Array> {
  for await (const piece of pieces) {
    counted.bytesUp += piece.length;
    yield piece;
  }
}

function resultOf(error: unknown, signal: AbortSignal | undefined): string {
  if (signal?.aborted) return 'aborted';
  return isAppError(error) ? error.code : 'error';
}
