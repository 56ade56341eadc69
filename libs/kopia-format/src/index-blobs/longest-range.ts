import { completeSets } from './complete-sets.ts';
import { type ListedBlob, wholeNumber } from './listed-blob.ts';

/** A compaction of several epochs, both ends included. */
export interface EpochRange {
  first: number;
  last: number;
  blobs: readonly ListedBlob[];
}

/** The complete ranges `xr<first>_<last>_…` that follow each other from epoch 0 and reach furthest, with the fewest of them. */
export function longestRange(blobs: readonly ListedBlob[]): EpochRange[] {
  const groups = new Map<string, ListedBlob[]>();
  for (const blob of blobs) {
    const [first = '', last = '', rest] = blob.blobId.split('_');
    if (rest === undefined) continue;
    const name = `${first.replace(/^\D+/, '')}_${last}`;
    groups.set(name, [...(groups.get(name) ?? []), blob]);
  }
  const starting = new Map<number, EpochRange[]>();
  for (const [name, members] of groups) {
    const [first, last] = name.split('_').map(wholeNumber);
    const [complete] = completeSets(members);
    if (first === undefined || last === undefined || last < first || complete === undefined) continue;
    starting.set(first, [...(starting.get(first) ?? []), { first, last, blobs: complete }]);
  }
  return from(0, starting, new Map());
}

function from(epoch: number, starting: ReadonlyMap<number, readonly EpochRange[]>, known: Map<number, EpochRange[]>) {
  const before = known.get(epoch);
  if (before !== undefined) return before;
  let longest: EpochRange[] = [];
  for (const range of starting.get(epoch) ?? []) {
    const ranges: EpochRange[] = [range, ...from(range.last + 1, starting, known)];
    const reach = ranges.at(-1)?.last ?? 0;
    const best = longest.at(-1)?.last ?? 0;
    if (reach > best || (reach === best && ranges.length < longest.length)) longest = ranges;
  }
  known.set(epoch, longest);
  return longest;
}
