import type { GzipWriter } from './gzip-writer.ts';

type Filled = Pick<GzipWriter, 'pieces' | 'end' | 'abort'>;

/**
 * The bytes that `fill` writes, for one reader. An error of `fill` goes to the reader; when the reader stops, the next write of
 * `fill` fails. `fill` is not awaited then, because it may wait for something that never comes.
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
