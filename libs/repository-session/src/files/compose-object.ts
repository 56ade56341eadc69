import { type ChunkLayout, chunkCount, chunkLength, type ObjectId } from '@lateen/kopia-format';
import type { ChangedChunksOf } from '@lateen/repository';
import { chunksMax } from '../splice/changed-chunks.ts';
import { fixedPieces } from '../splice/fixed-pieces.ts';
import type { SessionKeeper } from '../splice/session-keeper.ts';
import { chunkBatches, type WriteChunksOptions, writeChunks } from '../splice/write-chunks.ts';
import { writeChunkList } from '../stored/piece-list.ts';

/** What a file has now, and how it gets into the repository. */
export interface NewContent extends Omit<WriteChunksOptions, 'layout'> {
  keeper: SessionKeeper;
  sizeBytes: number;
  /** Changed bytes between two flushes; at most these are written again when a session is lost. */
  checkpointBytes: number | undefined;
}

const checkpointBytesDefault = 256 * 1024 * 1024;

export const objectIdText = ({ contentId, indirection }: ObjectId): string => `${'I'.repeat(indirection)}${contentId}`;

/** The object of a file: that of the base with other chunks. Undefined if the base is not cut in chunks of one length. */
export async function composedObject(
  { keeper, sizeBytes, checkpointBytes = checkpointBytesDefault, ...write }: NewContent,
  base: { objectId: ObjectId; sizeBytes: number },
  chunksOf: ChangedChunksOf,
): Promise<string | undefined> {
  const { signal } = write;
  const pieces = await keeper.run((session) => fixedPieces(session, base.objectId, base.sizeBytes, signal), signal);
  // An object of one chunk does not say how long chunks are.
  if (pieces === undefined || base.objectId.indirection === 0) return undefined;
  const layout: ChunkLayout = { sizeBytes, chunkBytes: pieces.chunkBytes };
  const count = chunkCount(layout);
  if (count > chunksMax || count === 0) return undefined;
  const chunks = await chunksOf(pieces.chunkBytes);
  checkChunks(chunks, layout, base.sizeBytes);
  const ids = pieces.ids.slice(0, count);
  let isChanged = ids.length !== pieces.ids.length || count !== ids.length;
  for (const batch of chunkBatches(chunks, layout, checkpointBytes)) {
    const written = await keeper.run((session) => writeChunks(session, batch, { ...write, layout }), signal);
    batch.forEach((chunk, index) => {
      isChanged ||= ids[chunk] !== written[index];
      ids[chunk] = written[index] ?? '';
    });
  }
  if (!isChanged) return objectIdText(base.objectId);
  return keeper.run(async (session) => {
    const object = await writeChunkList(ids, layout, (data) =>
      session.writeContent({ prefix: 'x', data, isCompressed: true }, { signal }),
    );
    await session.flush({ signal });
    return object;
  }, signal);
}

/** A chunk that the base has not, or with another length, has to be among the changed ones. @throws RangeError: a defect of the caller */
function checkChunks(chunks: readonly number[], layout: ChunkLayout, baseBytes: number): void {
  const changed = new Set(chunks);
  const count = chunkCount(layout);
  const before = { ...layout, sizeBytes: baseBytes };
  for (let chunk = Math.max(0, Math.min(count, chunkCount(before)) - 1); chunk < count; chunk++) {
    const isThere = chunk < chunkCount(before) && chunkLength(chunk, before) === chunkLength(chunk, layout);
    if (!isThere && !changed.has(chunk)) throw new RangeError(`chunk ${chunk} is not in the base`);
  }
  if (chunks.some((chunk) => chunk < 0 || chunk >= count)) throw new RangeError('a changed chunk is not in the file');
}
