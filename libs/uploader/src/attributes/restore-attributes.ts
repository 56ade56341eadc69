import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { createGunzip } from 'node:zlib';
import { isAppError } from '@lateen/errors';
import { type Applied, applyAttributes } from './apply-attributes.ts';
import { invalidManifest } from './attribute-record.ts';
import type { TaggedSnapshot } from './attribute-snapshot.ts';
import type { AttributeSource } from './attribute-source.ts';
import { ChunkedInput } from './chunked-input.ts';
import type { Programs } from './programs.ts';

export interface RestoreAttributesOptions {
  source: AttributeSource;
  programs: Programs;
  volumePath: string;
  signal: AbortSignal;
}

/**
 * Streams a manifest out of the repository and applies it to the restored tree. Returns undefined when the manifest's data is
 * gone.
 * @throws as `applyAttributes` and `source.read`; the signal's reason on abort
 */
export async function restoreAttributes(
  options: RestoreAttributesOptions,
  manifest: TaggedSnapshot,
): Promise<Applied | undefined> {
  const { signal, programs, volumePath } = options;
  const over = new AbortController();
  const either = AbortSignal.any([signal, over.signal]);
  const packed = new ChunkedInput();
  const shown = show({ ...options, signal: either }, manifest, packed);
  const applied = applyAttributes({ programs, volumePath, signal: either }, unpacked(packed));
  try {
    const [, done] = await Promise.all([shown, applied]);
    return done;
  } catch (error) {
    // When the reading or the applying side fails, both are stopped.
    over.abort(error);
    await Promise.allSettled([shown, applied]);
    signal.throwIfAborted();
    if (isAppError(error, 'UPLOADER_DATA_MISSING')) return undefined;
    throw error;
  }
}

async function show(
  { source, signal }: RestoreAttributesOptions,
  manifest: TaggedSnapshot,
  packed: ChunkedInput,
): Promise<void> {
  try {
    await source.read(manifest, (piece) => packed.write(piece), signal);
    packed.end();
  } catch (error) {
    packed.fail(error);
    throw error;
  }
}

async function* unpacked(packed: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
  const gunzip = createGunzip();
  // gunzip reports the errors, and it is read below; when it stops, nothing more is read.
  pipeline(Readable.from(packed), gunzip).catch(() => {});
  try {
    yield* gunzip;
  } catch (error) {
    const code = (error as NodeJS.ErrnoException).code;
    throw typeof code === 'string' && code.startsWith('Z_') ? invalidManifest('it cannot be unpacked') : error;
  }
}
