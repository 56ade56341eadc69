import { tarGzWriter } from './archive-writer.ts';
import { filled } from './gzip/filled.ts';
import type { GzipWriterOptions } from './gzip/gzip-writer.ts';
import { type ReadArchiveOptions, readArchive } from './read/read-archive.ts';

export interface RewriteArchiveOptions extends ReadArchiveOptions, GzipWriterOptions {
  /** Of every entry, epoch ms. */
  mtimeMs: number;
}

/**
 * The same archive, as a stream, in which entries named in `changes` have another body at their place, and those it does not
 * have yet come after all others. Only regular files are in it.
 * @throws as `readArchive`, whose limit of the whole does not hold: the archive was made by who has it rewritten
 */
export function rewriteArchive(
  pieces: AsyncIterable<Uint8Array>,
  changes: ReadonlyMap<string, string | Uint8Array>,
  { limits, signal, ...how }: RewriteArchiveOptions,
): AsyncGenerator<Uint8Array> {
  const writer = tarGzWriter(how);
  const whole = { totalBytesMax: Number.MAX_SAFE_INTEGER, ...limits };
  return filled(writer, async () => {
    const missing = new Set(changes.keys());
    for await (const { path, body } of readArchive(pieces, { limits: whole, signal })) {
      missing.delete(path);
      await writer.add(path, changes.get(path) ?? body);
    }
    for (const path of missing) await writer.add(path, changes.get(path) ?? '');
  });
}
