import { AppError } from '@lateen/errors';
import { type Clock, systemClock } from '@lateen/kernel';
import { type ByteRange, checkedKeys, type ObjectStore, type ObjectSummary, tooShort } from '@lateen/object-store';

export interface MemoryObjectStoreOptions {
  /** Initial objects. */
  objects?: Readonly<Record<string, string | Uint8Array>>;
  /** False: as if the bucket did not exist. */
  bucketExists?: boolean;
  /** Clock of the store: it sets the times of the objects. */
  clock?: Clock;
}

export interface MemoryObjectStore extends ObjectStore {
  /** The bucket itself, by key; tests may read and change it. */
  readonly objects: Map<string, Uint8Array>;
  /** The object as text. @throws Error when there is none */
  text(key: string): string;
  readonly closed: boolean;
  /** Keys of unfinished writes, one entry per write. */
  unfinishedWrites(): string[];
  /** Simulates a process that died while it wrote the key: parts remain that only `endAbandonedWrites` frees. */
  abandonWrite(key: string): void;
}

/** Small, so that a reader receives several chunks. */
const pieceBytes = 64 * 1024;

/** One bucket in memory, with the semantics of the port; it passes the same suite as the real ones. */
export function memoryObjectStore(options: MemoryObjectStoreOptions = {}): MemoryObjectStore {
  const objects = new Bucket(options.clock ?? systemClock);
  for (const [key, body] of Object.entries(options.objects ?? {})) objects.set(key, bytesOf(body));
  const writes = new Set<{ key: string }>();
  let closed = false;
  const bucket = async (signal: AbortSignal | undefined): Promise<Bucket> => {
    signal?.throwIfAborted();
    if (closed) throw new Error('the object store was closed');
    if (options.bucketExists === false) throw new AppError('BUCKET_NOT_FOUND', 'the bucket in memory does not exist');
    return objects;
  };
  const get = async (key: string, signal: AbortSignal | undefined): Promise<Uint8Array> => {
    const body = (await bucket(signal)).get(key);
    if (body === undefined) throw new AppError('OBJECT_NOT_FOUND', `object "${key}" is not in memory`);
    return Uint8Array.from(body);
  };
  const store = checkedKeys({
    listCommonPrefixes: async (prefix, { signal } = {}) => {
      const keys = keysUnder(await bucket(signal), prefix).map((key) => key.slice(prefix.length));
      return [...new Set(keys.filter((key) => key.includes('/')).map((key) => key.slice(0, key.indexOf('/'))))].sort();
    },
    list: (prefix, { signal } = {}) => listed(() => bucket(signal), prefix, signal),
    exists: async (key, { signal } = {}) => (await bucket(signal)).has(key),
    get: (key, { signal } = {}) => get(key, signal),
    put: async (key, body, { signal } = {}) => void (await bucket(signal)).set(key, Uint8Array.from(body)),
    read: (key, { signal, range } = {}) => inPieces(async () => partOf(await get(key, signal), key, range), signal),
    write: async (key, pieces, { signal } = {}) => {
      const target = await bucket(signal);
      const write = { key };
      writes.add(write);
      try {
        const body = await wholeOf(pieces, signal);
        if (!writes.has(write)) throw new AppError('OBJECT_NOT_FOUND', `the write of object "${key}" was ended`);
        target.set(key, body);
      } finally {
        writes.delete(write);
      }
    },
    endAbandonedWrites: async (key, { signal } = {}) => {
      await bucket(signal);
      const ended = [...writes].filter((write) => write.key === key);
      for (const write of ended) writes.delete(write);
      return ended.length;
    },
    delete: async (key, { signal } = {}) => void (await bucket(signal)).delete(key),
    signedUrl: async (key, { ttlMs, signal }) => {
      await bucket(signal);
      return `https://memory.invalid/${encodeURIComponent(key)}?ttlMs=${ttlMs}`;
    },
    close: async () => {
      closed = true;
    },
  });
  return {
    ...store,
    objects,
    unfinishedWrites: () => [...writes].map(({ key }) => key),
    abandonWrite: (key) => void writes.add({ key }),
    text: (key) => {
      const body = objects.get(key);
      if (body === undefined) throw new Error(`no object ${key}; there are: ${[...objects.keys()].join(', ')}`);
      return new TextDecoder().decode(body);
    },
    get closed() {
      return closed;
    },
  };
}

/** Records when each object was written, by whatever call. */
class Bucket extends Map<string, Uint8Array> {
  readonly #clock: Clock;
  readonly #modifiedAtMs = new Map<string, number>();

  constructor(clock: Clock) {
    super();
    this.#clock = clock;
  }

  override set(key: string, body: Uint8Array): this {
    this.#modifiedAtMs.set(key, this.#clock.now());
    return super.set(key, body);
  }

  modifiedAtMs(key: string): number | undefined {
    return this.#modifiedAtMs.get(key);
  }
}

async function* listed(
  bucket: () => Promise<Bucket>,
  prefix: string,
  signal: AbortSignal | undefined,
): AsyncGenerator<ObjectSummary> {
  const objects = await bucket();
  for (const key of keysUnder(objects, prefix)) {
    signal?.throwIfAborted();
    const body = objects.get(key);
    if (body !== undefined) yield { key, sizeBytes: body.length, modifiedAtMs: objects.modifiedAtMs(key) };
  }
}

async function wholeOf(pieces: AsyncIterable<Uint8Array>, signal: AbortSignal | undefined): Promise<Uint8Array> {
  const held: Uint8Array[] = [];
  for await (const piece of pieces) {
    signal?.throwIfAborted();
    held.push(Uint8Array.from(piece));
  }
  signal?.throwIfAborted();
  return Buffer.concat(held);
}

function partOf(body: Uint8Array, key: string, range: ByteRange | undefined): Uint8Array {
  if (range === undefined) return body;
  const end = range.offset + range.length;
  if (end > body.length) throw tooShort(`object "${key}"`, 'the bucket in memory');
  return body.subarray(range.offset, end);
}

async function* inPieces(get: () => Promise<Uint8Array>, signal: AbortSignal | undefined): AsyncGenerator<Uint8Array> {
  const body = await get();
  for (let at = 0; at < body.length; at += pieceBytes) {
    signal?.throwIfAborted();
    yield body.subarray(at, at + pieceBytes);
  }
}

/** The order of S3: by the bytes of UTF-8. */
const keysUnder = (objects: Map<string, Uint8Array>, prefix: string): string[] =>
  [...objects.keys()]
    .filter((key) => key.startsWith(prefix))
    .sort((a, b) => Buffer.compare(Buffer.from(a), Buffer.from(b)));

const bytesOf = (body: string | Uint8Array): Uint8Array =>
  typeof body === 'string' ? new TextEncoder().encode(body) : Uint8Array.from(body);
