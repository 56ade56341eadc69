import { tarGzWriter } from './archive-writer.ts';
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
export async function* rewriteArchive(
  pieces: AsyncIterable<Uint8Array>,
  changes: ReadonlyMap<string, string | Uint8Array>,
  { mtimeMs, level, limits, signal }: RewriteArchiveOptions,
): AsyncGenerator<Uint8Array> {
  const writer = tarGzWriter({ mtimeMs, ...(level === undefined ? {} : { level }) });
  const entries = readArchive(pieces, { limits: { totalBytesMax: Number.MAX_SAFE_INTEGER, ...limits }, signal });
  const copy = async () => {
    const missing = new Set(changes.keys());
    for await (const { path, body } of entries) {
      missing.delete(path);
      await writer.add(path, changes.get(path) ?? body);
    }
    for (const path of missing) await writer.add(path, changes.get(path) ?? '');
    await writer.end();
  };
  // What goes wrong is told to whoever reads.
  const copied = copy().catch((error: unknown) => writer.abort(error));
  try {
    yield* writer.pieces;
  } finally {
    writer.abort(new Error('nobody reads the new archive any more'));
    await copied;
  }
}
