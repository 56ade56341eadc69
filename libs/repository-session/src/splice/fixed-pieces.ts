import { chunksOf, type ObjectId, readObject } from '@lateen/kopia-format';
import type { ServerSession } from '../client/server-session.ts';
import { chunksMax } from './changed-chunks.ts';

/** An object that is cut in chunks of one length; only the last one may be shorter. */
export interface FixedPieces {
  /** Of an object of one chunk: its own length. */
  chunkBytes: number;
  /** Content IDs, in order. */
  ids: string[];
}

/**
 * The chunks of an object of this size; undefined if they are not those of a FIXED splitter, or more than `chunksMax`.
 * @throws AppError CONTENT_MISSING, SNAPSHOT_CORRUPT; REPOSITORY_SESSION_LOST
 */
export async function fixedPieces(
  session: ServerSession,
  { contentId, indirection }: ObjectId,
  sizeBytes: number,
  signal: AbortSignal,
): Promise<FixedPieces | undefined> {
  if (indirection === 0) return { chunkBytes: sizeBytes, ids: [contentId] };
  const read = (id: string, stop: AbortSignal): Promise<Uint8Array> => session.getContent(id, { signal: stop });
  const ids: string[] = [];
  let chunkBytes: number | undefined;
  let end = 0;
  for await (const group of chunksOf(readObject({ contentId, indirection: indirection - 1 }, read, signal))) {
    for (const { length, objectId } of group) {
      // kopia uploads a file of more than 2 GiB in parts of 2 GiB and one more, which is empty if nothing is left for it.
      if (length === 0 && end === sizeBytes && end > 0) continue;
      chunkBytes ??= length;
      const isWhole = length === Math.min(chunkBytes, sizeBytes - end);
      if (!isWhole || length === 0 || objectId.indirection !== 0 || ids.length >= chunksMax) return undefined;
      ids.push(objectId.contentId);
      end += length;
    }
  }
  return chunkBytes === undefined || end !== sizeBytes ? undefined : { chunkBytes, ids };
}
