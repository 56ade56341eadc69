import { completeSets } from './complete-sets.ts';
import { type ListedBlob, wholeNumber } from './listed-blob.ts';
import { longestRange } from './longest-range.ts';

export interface ActiveIndexBlobs {
  blobs: readonly ListedBlob[];
  /** Unix seconds: contents deleted until then are as if they had never been. */
  deletedUntil: number;
}

/** Only epochs that are no longer written are compacted: two before the current one. */
const unsettledEpochs = 2;

/**
 * Which of the blobs named `x…` make up the index: checkpoints over ranges of epochs from the first on, then for each epoch its
 * compaction when it is settled, else all that was written in it; up to the epoch after the current one.
 */
export function activeIndexBlobs(listed: readonly ListedBlob[]): ActiveIndexBlobs {
  const named = (prefix: string) => listed.filter(({ blobId }) => blobId.startsWith(prefix));
  const current = Math.max(0, ...named('xe').flatMap(({ blobId }) => epochOf(blobId) ?? []));
  const settled = current - unsettledEpochs;
  const written = byEpoch(named('xn'));
  const compacted = byEpoch(named('xs'));
  const blobs: ListedBlob[] = [];
  let next = 0;
  for (const range of longestRange(named('xr'))) {
    // As kopia has it: one that ends where another has begun to be counted adds nothing.
    if (range.last <= next) continue;
    blobs.push(...range.blobs);
    next = range.last + 1;
  }
  for (const epoch of new Set([...written.keys(), ...compacted.keys()])) {
    if (epoch < next || epoch > current + 1) continue;
    const compaction = epoch <= settled ? completeSets(compacted.get(epoch) ?? [])[0] : undefined;
    blobs.push(...(compaction ?? written.get(epoch) ?? []));
  }
  const watermarks = named('xw').map(({ blobId }) => wholeNumber(blobId.slice(2)) ?? Number.NEGATIVE_INFINITY);
  return { blobs, deletedUntil: Math.max(Number.NEGATIVE_INFINITY, ...watermarks) };
}

function byEpoch(blobs: readonly ListedBlob[]): Map<number, ListedBlob[]> {
  const epochs = new Map<number, ListedBlob[]>();
  for (const blob of blobs) {
    const epoch = epochOf(blob.blobId);
    if (epoch === undefined) continue;
    const group = epochs.get(epoch);
    if (group === undefined) epochs.set(epoch, [blob]);
    else group.push(blob);
  }
  return epochs;
}

/** `xn7_…` and `xe7` are of epoch 7. */
const epochOf = (blobId: string) => wholeNumber((blobId.split('_', 1)[0] ?? '').replace(/^\D+/, ''));
