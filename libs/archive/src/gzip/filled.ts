import type { GzipWriter } from './gzip-writer.ts';

type Filled = Pick<GzipWriter, 'pieces' | 'end' | 'abort'>;

/**
 * What `fill` puts into a writer, for one reader. An error of `fill` is the reader's; when the reader leaves, the next thing that `fill`
 * adds fails. Nobody waits for it then: it may be waiting for something that never comes.
 */
export async function* filled(writer: Filled, fill: () => Promise<void>): AsyncGenerator<Uint8Array> {
  const filling = async () => {
    await fill();
    await writer.end();
  };
  filling().catch((error: unknown) => writer.abort(error));
  try {
    yield* writer.pieces;
  } finally {
    writer.abort(new Error('nobody reads any more'));
  }
}
