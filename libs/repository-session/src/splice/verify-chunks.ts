import { type ChunkLayout, chunkCount } from '@lateen/kopia-format';
import { baseDiffers } from './base-unusable.ts';
import type { SessionKeeper } from './session-keeper.ts';
import { chunkBatches, type WriteChunksOptions, writeChunks } from './write-chunks.ts';

export interface VerifyChunksOptions extends WriteChunksOptions {
  /** Content IDs of the chunks of the base. */
  ids: readonly string[];
  /** Bytes between two flushes. */
  batchBytes: number;
}

/**
 * Reads chunks of the volume that are said to be unchanged, and compares them with the base by their content IDs. kopia makes the ID: each
 * chunk is handed to its server as if it were to be stored, which stores nothing when the content exists already. Ends at the first batch
 * with a difference; its chunks are stored then, and the full read that follows finds them.
 * @throws BASE_SNAPSHOT_UNUSABLE with `details.offset` at a difference; REPOSITORY_SESSION_LOST; what `read` throws
 */
export async function verifyChunks(
  keeper: SessionKeeper,
  chunks: readonly number[],
  { ids, batchBytes, ...write }: VerifyChunksOptions,
): Promise<void> {
  for (const batch of chunkBatches(chunks, write.layout, batchBytes)) {
    const found = await keeper.run((session) => writeChunks(session, batch, write), write.signal);
    const differing = batch.find((chunk, index) => ids[chunk] !== found[index]);
    if (differing !== undefined) throw baseDiffers(differing * write.layout.chunkBytes);
  }
}

/** @throws RangeError for a chunk that is not in the volume, or has changed: it would differ rightly. Pure. */
export function unchangedOnly(wanted: Iterable<number>, changed: readonly number[], layout: ChunkLayout): number[] {
  const chosen = [...wanted];
  const touched = new Set(chosen.length === 0 ? [] : changed);
  const wrong = chosen.find((chunk) => !isChunk(chunk, layout) || touched.has(chunk));
  if (wrong !== undefined) throw new RangeError(`chunk ${wrong} is not an unchanged chunk of the volume`);
  return chosen;
}

const isChunk = (chunk: number, layout: ChunkLayout): boolean =>
  Number.isInteger(chunk) && chunk >= 0 && chunk < chunkCount(layout);
