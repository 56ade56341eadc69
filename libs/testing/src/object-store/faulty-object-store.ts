import type { Clock } from '@lateen/kernel';
import type { ObjectStore } from '@lateen/object-store';

export type StoreOperation = Exclude<keyof ObjectStore, 'close'>;

/** The effect of a fault on one call. */
export type StoreFault =
  /** Fails before anything reaches the store. */
  | { fail: unknown }
  /** The store completes the call, but the response is lost. A stream delivers all its chunks first. */
  | { loseAnswer: unknown }
  /** Delay by the given clock; then the call continues normally. */
  | { delayMs: number }
  /** Does not respond until the caller aborts. */
  | { hang: true }
  /** `read`, `list` and the source of `write` end with the error after this number of bytes (keys, for `list`). */
  | { cutAfter: number; error: unknown };

export interface ScriptedFault {
  /** One operation; absent: all. */
  on?: StoreOperation;
  /** Only calls whose key or prefix contains this. */
  about?: string;
  /** Number of calls that it affects; absent: unlimited. */
  times?: number;
  /** Number of matching calls that pass first. */
  after?: number;
  fault: StoreFault;
}

export interface StoreCall {
  operation: StoreOperation;
  key: string;
}

export interface FaultyObjectStore extends ObjectStore {
  /** All calls, in order. */
  readonly calls: readonly StoreCall[];
  /** Adds a fault; a call gets the first matching one. */
  add(fault: ScriptedFault): void;
  /** Removes all faults. */
  heal(): void;
}

/** A store that fails, delays, hangs and truncates as configured. `clock` is for `delayMs`. */
export function faultyObjectStore(
  store: ObjectStore,
  script: readonly ScriptedFault[] = [],
  clock?: Clock,
): FaultyObjectStore {
  let faults = script.map((fault) => ({ ...fault, seen: 0 }));
  const calls: StoreCall[] = [];
  const next = (operation: StoreOperation, key: string): StoreFault | undefined => {
    calls.push({ operation, key });
    for (const fault of faults) {
      if ((fault.on !== undefined && fault.on !== operation) || !key.includes(fault.about ?? '')) continue;
      fault.seen++;
      const nth = fault.seen - (fault.after ?? 0);
      if (nth >= 1 && nth <= (fault.times ?? Number.POSITIVE_INFINITY)) return fault.fault;
    }
    return undefined;
  };
  const call = async <Result>(
    operation: StoreOperation,
    key: string,
    signal: AbortSignal | undefined,
    work: () => Promise<Result>,
  ): Promise<Result> => {
    const fault = next(operation, key);
    await meet(fault, signal, clock);
    const result = await work();
    if (fault !== undefined && 'loseAnswer' in fault) throw fault.loseAnswer;
    return result;
  };
  return {
    calls,
    add: (fault) => void faults.push({ ...fault, seen: 0 }),
    heal: () => {
      faults = [];
    },
    listCommonPrefixes: (prefix, options) =>
      call('listCommonPrefixes', prefix, options?.signal, () => store.listCommonPrefixes(prefix, options)),
    list: (prefix, options) =>
      faultyStream(
        () => next('list', prefix),
        options?.signal,
        clock,
        store.list(prefix, options),
        () => 1,
      ),
    exists: (key, options) => call('exists', key, options?.signal, () => store.exists(key, options)),
    get: (key, options) => call('get', key, options?.signal, () => store.get(key, options)),
    put: (key, body, options) => call('put', key, options?.signal, () => store.put(key, body, options)),
    read: (key, options) =>
      faultyStream(
        () => next('read', key),
        options?.signal,
        clock,
        store.read(key, options),
        (piece) => piece.length,
      ),
    write: async (key, pieces, options) => {
      const fault = next('write', key);
      await meet(fault, options?.signal, clock);
      const isCut = fault !== undefined && 'cutAfter' in fault;
      await store.write(key, isCut ? cut(fault, pieces, (piece) => piece.length) : pieces, options);
      if (fault !== undefined && 'loseAnswer' in fault) throw fault.loseAnswer;
    },
    endAbandonedWrites: (key, options) =>
      call('endAbandonedWrites', key, options?.signal, () => store.endAbandonedWrites(key, options)),
    delete: (key, options) => call('delete', key, options?.signal, () => store.delete(key, options)),
    signedUrl: (key, options) => call('signedUrl', key, options.signal, () => store.signedUrl(key, options)),
    close: () => store.close(),
  };
}

async function meet(fault: StoreFault | undefined, signal: AbortSignal | undefined, clock?: Clock): Promise<void> {
  if (fault === undefined) return;
  if ('fail' in fault) throw fault.fail;
  if ('hang' in fault) await untilAborted(signal);
  if ('delayMs' in fault) {
    if (clock === undefined) throw new TypeError('a faulty store needs a clock to delay by');
    await clock.sleep(fault.delayMs, signal);
  }
}

function untilAborted(signal: AbortSignal | undefined): Promise<never> {
  return new Promise((_, reject) => {
    if (signal?.aborted) return reject(signal.reason);
    signal?.addEventListener('abort', () => reject(signal.reason), { once: true });
  });
}

/** The fault is chosen when the first chunk is requested, because a real store is called then. */
async function* faultyStream<Piece>(
  choose: () => StoreFault | undefined,
  signal: AbortSignal | undefined,
  clock: Clock | undefined,
  source: AsyncIterable<Piece>,
  size: (piece: Piece) => number,
): AsyncGenerator<Piece> {
  const fault = choose();
  await meet(fault, signal, clock);
  yield* fault !== undefined && 'cutAfter' in fault ? cut(fault, source, size) : source;
  if (fault !== undefined && 'loseAnswer' in fault) throw fault.loseAnswer;
}

async function* cut<Piece>(
  fault: { cutAfter: number; error: unknown },
  source: AsyncIterable<Piece>,
  size: (piece: Piece) => number,
): AsyncGenerator<Piece> {
  let given = 0;
  for await (const piece of source) {
    if (given + size(piece) > fault.cutAfter) throw fault.error;
    given += size(piece);
    yield piece;
  }
  throw fault.error;
}
