import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { createGunzip } from 'node:zlib';
import { isAppError } from '@lateen/errors';

/** First bytes of a gzip member (RFC 1952 section 2.3.1). */
const magic = [0x1f, 0x8b] as const;

/** Of what comes out at once, and the same for each round through the thread pool. */
const chunkBytes = 64 * 1024;

/** Makes the error for a file that is damaged or ends early. */
export type BrokenFile = (what: string, cause: unknown) => Error;

/**
 * The content of a gzipped file, in pieces of at most 64 KiB whatever it unpacks to. A file that is not gzipped comes
 * as it is: a proxy on the way has unpacked it.
 * @throws what `broken` makes, and what `pieces` throws
 */
export async function* inflate(pieces: AsyncIterable<Uint8Array>, broken: BrokenFile): AsyncGenerator<Uint8Array> {
  const source = pieces[Symbol.asyncIterator]();
  try {
    const head = await firstBytes(source, magic.length);
    const all = restAfter(head, source);
    if (head.length > 0 && !magic.every((byte, index) => head[index] === byte)) yield* all;
    else yield* gunzipped(all, broken);
  } finally {
    // Not awaited: a read that still waits for a silent store would have to end first.
    source.return?.().catch(() => {});
  }
}

async function* gunzipped(pieces: AsyncIterable<Uint8Array>, broken: BrokenFile): AsyncGenerator<Uint8Array> {
  const gunzip = createGunzip({ chunkSize: chunkBytes });
  const piped = pipeline(Readable.from(pieces, { objectMode: true }), gunzip);
  // Told by the loop below; without a handler of its own it would end the process first.
  piped.catch(() => {});
  try {
    yield* gunzip as AsyncIterable<Uint8Array>;
    await piped;
  } catch (cause) {
    if (isAppError(cause) || !isZlibError(cause)) throw cause;
    throw broken('it cannot be unpacked', cause);
  }
}

const isZlibError = (error: unknown): boolean =>
  error instanceof Error && 'code' in error && typeof error.code === 'string' && error.code.startsWith('Z_');

/** At least `count` bytes, or all there are. */
async function firstBytes(source: AsyncIterator<Uint8Array>, count: number): Promise<Uint8Array> {
  let head: Uint8Array = new Uint8Array();
  while (head.length < count) {
    const next = await source.next();
    if (next.done === true) break;
    head = head.length === 0 ? next.value : Buffer.concat([head, next.value]);
  }
  return head;
}

async function* restAfter(head: Uint8Array, source: AsyncIterator<Uint8Array>): AsyncGenerator<Uint8Array> {
  if (head.length > 0) yield head;
  for (let next = await source.next(); next.done !== true; next = await source.next()) yield next.value;
}
