import type { FetchedSlices } from '@lateen/pack-reader';
import { contentColumns } from './content-columns.ts';
import type { ContentSlice, FilePart } from './content-slice.ts';
import { entryColumns } from './entry-columns.ts';
import type { PartColumns, WriteTask } from './restore-task.ts';
import { type PlacedEntry, pathOf } from './tree-entry.ts';

/** So much is one task: enough that handing it over costs little, little enough that progress and a cancel are not waited for. */
export const taskLimits = {
  targetsMax: 512,
  bytesMax: 4 * 1024 * 1024,
} as const;

/** A task, and the parts of large files that are written when it is done. */
export interface PlannedWrite {
  task: WriteTask;
  parts: readonly FilePart[];
}

interface Share {
  slice: ContentSlice;
  whole: PlacedEntry[];
  parts: FilePart[];
}

/** Bytes that have come, cut into tasks: each content goes to all that is made of it, in several tasks when that is much. Pure. */
export function writeTasks(fetched: FetchedSlices<ContentSlice>, limits = taskLimits): PlannedWrite[] {
  const tasks: PlannedWrite[] = [];
  let shares: Share[] = [];
  let [targets, bytes] = [0, 0];
  const close = () => {
    if (shares.length > 0) tasks.push(planned(fetched, shares));
    shares = [];
    [targets, bytes] = [0, 0];
  };
  for (const slice of fetched.slices) {
    for (const share of sharesOf(slice, limits.targetsMax)) {
      const more = share.whole.length + share.parts.length;
      const moreBytes = slice.originalLength;
      if (targets + more > limits.targetsMax || bytes + moreBytes > limits.bytesMax) close();
      shares.push(share);
      targets += more;
      bytes += moreBytes;
    }
  }
  close();
  return tasks;
}

/** One share, or several of a content that very many files have. */
function sharesOf(slice: ContentSlice, targetsMax: number): Share[] {
  const { whole, parts } = slice;
  if (whole.length + parts.length <= targetsMax) return [{ slice, whole, parts }];
  const shares: Share[] = [];
  for (let at = 0; at < whole.length; at += targetsMax)
    shares.push({ slice, whole: whole.slice(at, at + targetsMax), parts: [] });
  for (let at = 0; at < parts.length; at += targetsMax)
    shares.push({ slice, whole: [], parts: parts.slice(at, at + targetsMax) });
  return shares;
}

function planned({ bytes, offset }: FetchedSlices<ContentSlice>, shares: readonly Share[]): PlannedWrite {
  const parts = shares.flatMap((share) => share.parts);
  return {
    task: {
      kind: 'write',
      bytes,
      contents: contentColumns(
        shares[0]?.slice.packId ?? '',
        offset,
        shares.map(({ slice }) => slice),
      ),
      entries: entryColumns(shares.flatMap(({ whole }) => whole)),
      contentOf: Uint32Array.from(shares.flatMap(({ whole }, at) => whole.map(() => at))),
      parts: partColumns(shares),
    },
    parts,
  };
}

export function partColumns(shares: readonly Pick<Share, 'parts'>[]): PartColumns {
  const paths = new Map<string, number>();
  const unfinished: number[] = [];
  const [ofPath, ofContent, offsets]: [number[], number[], number[]] = [[], [], []];
  for (const [at, { parts }] of shares.entries()) {
    for (const { file, offset } of parts) {
      const path = pathOf(file.entry);
      const known = paths.get(path) ?? paths.size;
      paths.set(path, known);
      unfinished[known] = file.isUnfinished ? 1 : 0;
      ofPath.push(known);
      ofContent.push(at);
      offsets.push(offset);
    }
  }
  return {
    paths: [...paths.keys()],
    unfinished: Uint8Array.from(unfinished),
    pathOf: Uint32Array.from(ofPath),
    contentOf: Uint32Array.from(ofContent),
    offsets: Float64Array.from(offsets),
  };
}
