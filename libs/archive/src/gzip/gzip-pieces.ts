import { filled } from './filled.ts';
import { type GzipWriterOptions, gzipWriter } from './gzip-writer.ts';

/** The pieces, compressed as they come, in members of about 1 MiB. @throws what `pieces` throws */
export function gzipPieces(
  pieces: AsyncIterable<string | Uint8Array> | Iterable<string | Uint8Array>,
  options?: GzipWriterOptions,
): AsyncGenerator<Uint8Array> {
  const writer = gzipWriter(options);
  return filled(writer, async () => {
    for await (const piece of pieces) {
      const behind = writer.add(piece);
      if (behind !== undefined) await behind;
    }
  });
}
