import { uint32 } from './index-entry.ts';
import type { SortedKeys } from './sorted-keys.ts';

/** A run of entries of one index file. */
export interface EntryRun {
  bytes: Uint8Array;
  /** Of the first entry in `bytes`. */
  at: number;
  count: number;
  stride: number;
  keySize: number;
}

/**
 * Calls `found` with each of the keys `[from, to)` that is in the run, and the position of its entry. Takes steps by the smaller of
 * both, and in the larger one it leaps: cheap for few keys in a large file and for many keys in a small one.
 */
export function joinSorted(
  keys: SortedKeys,
  from: number,
  to: number,
  run: EntryRun,
  found: (index: number, at: number) => void,
): void {
  const position = (entry: number) => run.at + entry * run.stride;
  const compare = (index: number, entry: number) => compareAt(keys, index, run, position(entry));
  let index = from;
  let entry = 0;
  while (index < to && entry < run.count) {
    const order = compare(index, entry);
    if (order === 0) found(index++, position(entry));
    else if (order > 0) entry = leap(entry, run.count, (other) => compare(index, other) > 0);
    else index = leap(index, to, (other) => compare(other, entry) < 0);
  }
}

/** The first after `from`, where `isBefore` holds, at which it no longer holds; `end` when there is none. */
export function leap(from: number, end: number, isBefore: (at: number) => boolean): number {
  let step = 1;
  let low = from;
  while (low + step < end && isBefore(low + step)) {
    low += step;
    step *= 2;
  }
  let high = Math.min(low + step, end);
  while (high - low > 1) {
    const middle = (low + high) >>> 1;
    if (isBefore(middle)) low = middle;
    else high = middle;
  }
  return high;
}

function compareAt(keys: SortedKeys, index: number, { bytes, keySize }: EntryRun, at: number): number {
  const high = (keys.high[index] ?? 0) - uint32(bytes, at);
  if (high !== 0) return high;
  const low = (keys.low[index] ?? 0) - uint32(bytes, at + 4);
  if (low !== 0) return low;
  return keys.compare(index, bytes, at, keySize);
}
