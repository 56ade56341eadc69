import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { createGunzip, gunzipSync } from 'node:zlib';
import { isAppError } from '@lateen/errors';

/** First bytes of a gzip member (RFC 1952 section 2.3.1). */
const magic = [0x1f, 0x8b] as const;

/** Of what comes out at once, and the same for each round through the thread pool. */
const chunkBytes = 64 * 1024;

/** What has no more, packed and unpacked, is unpacked at once: that takes less than a round through the thread pool. */
const small = { packedBytes: 64 * 1024, plainBytes: 1024 * 1024 } as const;

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
    const { head, isWhole } = await beginning(source);
    const all = restAfter(head, source);
    if (head.length > 0 && !magic.every((byte, index) => head[index] === byte)) return yield* all;
    const plain = isWhole ? unpackedAtOnce(head, broken) : undefined;
    if (plain === undefined) yield* gunzipped(all, broken);
    else for (let at = 0; at < plain.length; at += chunkBytes) yield plain.subarray(at, at + chunkBytes);
  } finally {
    // Not awaited: a read that still waits for a silent store would have to end first.
    source.return?.().catch(() => {});
  }
}

/** @returns undefined when it unpacks to more than is small */
function unpackedAtOnce(packed: Uint8Array, broken: BrokenFile): Uint8Array | undefined {
  try {
    return gunzipSync(packed, { maxOutputLength: small.plainBytes });
  } catch (cause) {
    if (isZlibError(cause)) throw broken('it cannot be unpacked', cause);
    return undefined;
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

/** All that is small, or what shows that there is more. */
async function beginning(source: AsyncIterator<Uint8Array>): Promise<{ head: Uint8Array; isWhole: boolean }> {
  const held: Uint8Array[] = [];
  let bytes = 0;
  while (bytes <= small.packedBytes) {
    const next = await source.next();
    if (next.done === true) return { head: Buffer.concat(held), isWhole: true };
    held.push(next.value);
    bytes += next.value.length;
  }
  return { head: Buffer.concat(held), isWhole: false };
}

async function* restAfter(head: Uint8Array, source: AsyncIterator<Uint8Array>): AsyncGenerator<Uint8Array> {
  if (head.length > 0) yield head;
  for (let next = await source.next(); next.done !== true; next = await source.next()) yield next.value;
}
