import type { ContentLocation, ObjectId } from '@lateen/kopia-format';
import { contentMissing } from './content-missing.ts';
import type { ContentSlice, FilePart, LargeFile, ObjectChunk } from './content-slice.ts';
import { inPackOrder } from './pack-order.ts';
import type { PlacedEntry } from './tree-entry.ts';

/** What is known of objects and contents. */
export interface ObjectPorts {
  /** The contents of an object that has several, some at a time. */
  chunksOf(objectId: ObjectId, signal: AbortSignal): AsyncIterable<readonly ObjectChunk[]>;
  locate(contentIds: readonly string[], signal: AbortSignal): Promise<readonly (ContentLocation | undefined)[]>;
}

/** Contents that are fetched at a time, in the order in which they are best read. */
export interface SliceBatch {
  slices: ContentSlice[];
  /** Large files of which this batch has the first parts: to be made before any part comes, unless they are there. */
  begun: LargeFile[];
}

export interface BatchLimits {
  /** Contents at a time. */
  slicesMax: number;
}

interface Wanted {
  contentId: string;
  whole: PlacedEntry[];
  parts: FilePart[];
}

/** What is to be written. */
export interface MissingEntries {
  entries: readonly PlacedEntry[];
  /** Those of them that an earlier attempt has begun. */
  unfinished: ReadonlySet<PlacedEntry>;
}

/**
 * The contents of these entries (each with at least one byte, or a link), located, in bounded batches. A content that
 * several entries have is fetched once in a batch.
 * @throws CONTENT_MISSING naming the file; what the ports throw
 */
export async function* sliceBatches(
  { entries, unfinished }: MissingEntries,
  ports: ObjectPorts,
  { slicesMax }: BatchLimits,
  signal: AbortSignal,
): AsyncGenerator<SliceBatch, void, undefined> {
  let wanted = new Map<string, Wanted>();
  let begun: LargeFile[] = [];
  const want = (contentId: string): Wanted => {
    const known = wanted.get(contentId) ?? { contentId, whole: [], parts: [] };
    wanted.set(contentId, known);
    return known;
  };
  const take = async (): Promise<SliceBatch> => {
    const batch = { slices: await located([...wanted.values()], ports, signal), begun };
    wanted = new Map();
    begun = [];
    return batch;
  };
  const large: PlacedEntry[] = [];
  for (const entry of entries) {
    const { contentId, indirection } = entry.entry.objectId;
    if (indirection > 0) large.push(entry);
    else want(contentId).whole.push(entry);
    if (wanted.size >= slicesMax) yield await take();
  }
  for (const entry of large) {
    const file: LargeFile = { entry, isUnfinished: unfinished.has(entry), missing: 0, isListed: false };
    begun.push(file);
    for await (const chunks of ports.chunksOf(entry.entry.objectId, signal)) {
      for (const { contentId, offset } of chunks) {
        want(contentId).parts.push({ file, offset });
        file.missing++;
        if (wanted.size >= slicesMax) yield await take();
      }
    }
    file.isListed = true;
  }
  if (wanted.size > 0 || begun.length > 0) yield await take();
}

async function located(wanted: readonly Wanted[], ports: ObjectPorts, signal: AbortSignal): Promise<ContentSlice[]> {
  const locations = await ports.locate(
    wanted.map(({ contentId }) => contentId),
    signal,
  );
  const slices = wanted.map(({ contentId, whole, parts }, at): ContentSlice => {
    const location = locations[at];
    if (location === undefined) throw contentMissing(contentId, whole[0] ?? parts[0]?.file.entry);
    return { ...location, whole, parts };
  });
  return inPackOrder(slices);
}
