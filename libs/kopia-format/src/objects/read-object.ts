import { snapshotCorrupt } from '../snapshot-corrupt.ts';
import { chunksOf } from './chunks.ts';
import type { ObjectId } from './object-id.ts';

/** The bytes of one content, verified. */
export type ReadContent = (contentId: string, signal: AbortSignal) => Promise<Uint8Array>;

/**
 * The bytes of an object, in order; one content is in memory at a time, and the group of pieces that it is from.
 * @throws AppError SNAPSHOT_CORRUPT when pieces have another length than their list says, and what `readContent` throws
 */
export async function* readObject(
  { contentId, indirection }: ObjectId,
  readContent: ReadContent,
  signal: AbortSignal,
): AsyncGenerator<Uint8Array> {
  if (indirection === 0) {
    yield await readContent(contentId, signal);
    return;
  }
  const list = readObject({ contentId, indirection: indirection - 1 }, readContent, signal);
  for await (const chunks of chunksOf(list)) {
    for (const { objectId, length, start } of chunks) {
      let rest = length;
      for await (const piece of readObject(objectId, readContent, signal)) {
        rest -= piece.length;
        yield piece;
      }
      if (rest !== 0)
        throw snapshotCorrupt(`the piece at ${start} of an object has ${length - rest} bytes, not ${length}`);
    }
  }
}
