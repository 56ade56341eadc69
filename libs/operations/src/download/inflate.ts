import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { createGunzip } from 'node:zlib';
import { AppError, isAppError } from '@lateen/errors';

/** First bytes of a gzip member (RFC 1952 section 2.3.1). */
const magic = [0x1f, 0x8b] as const;

/**
 * The content of a gzipped file, in pieces of at most some 64 KiB whatever it unpacks to. A file that is not gzipped comes
 * as it is: a proxy on the way has unpacked it. @throws AppError DOWNLOAD_BROKEN when it is damaged or ends early, and
 * what `pieces` throws
 */
export async function* inflate(pieces: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
  const source = pieces[Symbol.asyncIterator]();
  try {
    const head = await firstBytes(source, magic.length);
    const all = restAfter(head, source);
    if (head.length > 0 && !magic.every((byte, index) => head[index] === byte)) yield* all;
    else yield* gunzipped(all);
  } finally {
    // Not awaited: a read that still waits for a silent store would have to end first.
    source.return?.().catch(() => {});
  }
}

async function* gunzipped(pieces: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
  const gunzip = createGunzip();
  const piped = pipeline(Readable.from(pieces, { objectMode: true }), gunzip);
  // Told by the loop below; without a handler of its own it would end the process first.
  piped.catch(() => {});
  try {
    yield* gunzip as AsyncIterable<Uint8Array>;
    await piped;
  } catch (cause) {
    if (isAppError(cause) || !isZlibError(cause)) throw cause;
    throw new AppError('DOWNLOAD_BROKEN', 'the file is damaged or incomplete: it cannot be unpacked', { cause });
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
