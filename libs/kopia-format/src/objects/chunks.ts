import { snapshotCorrupt } from '../snapshot-corrupt.ts';
import type { JsonEntry } from './entry-scan.ts';
import { jsonEntries, type Pieces } from './json-entries.ts';
import { type ObjectId, parseObjectId } from './object-id.ts';

/** A piece of an object: its bytes are those of another object, nearly always one of one content. */
export interface ObjectChunk {
  /** In the whole object. */
  start: number;
  length: number;
  objectId: ObjectId;
}

/**
 * The pieces of an object, from the bytes of its list, in order and without gaps, in groups.
 * @throws AppError SNAPSHOT_CORRUPT
 */
export async function* chunksOf(list: Pieces): AsyncGenerator<ObjectChunk[]> {
  let end = 0;
  for await (const entries of jsonEntries('kopia:indirect', list)) {
    const chunks = entries.map((entry) => {
      const chunk = chunkOf(entry);
      if (chunk.start !== end) throw snapshotCorrupt(`the pieces of an object leave a gap at ${end}`);
      end += chunk.length;
      return chunk;
    });
    yield chunks;
  }
}

/** Go leaves out what is zero. */
function chunkOf({ s: start = 0, l: length = 0, o: objectId }: JsonEntry): ObjectChunk {
  if (!isSize(start) || !isSize(length) || typeof objectId !== 'string')
    throw snapshotCorrupt('a piece of an object has no place or no bytes');
  return { start, length, objectId: parseObjectId(objectId) };
}

const isSize = (value: unknown): value is number => Number.isSafeInteger(value) && (value as number) >= 0;
