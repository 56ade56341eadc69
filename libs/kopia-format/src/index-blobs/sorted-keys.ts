import { contentIdInvalid, keyBytesMax, writeContentKey } from '../content-id.ts';
import { uint32 } from './index-entry.ts';

/** Ids of contents, as keys of index files, in the order of these. By column: there are tens of thousands. */
export interface SortedKeys {
  readonly count: number;
  /** Which of the ids given each is. */
  readonly order: Uint32Array;
  /** The first 8 bytes of each: nearly always enough to tell them apart. */
  readonly high: Uint32Array;
  readonly low: Uint32Array;
  /** As `Buffer.compare` of the key at `index` and the `length` bytes at `at`. */
  compare(index: number, bytes: Uint8Array, at: number, length: number): number;
}

/** @throws AppError CONTENT_ID_INVALID */
export function sortedKeys(contentIds: readonly string[]): SortedKeys {
  const count = contentIds.length;
  const keys = new Uint8Array(count * keyBytesMax);
  const lengths = new Uint8Array(count);
  for (let index = 0; index < count; index++) {
    const id = contentIds[index] ?? '';
    const length = writeContentKey(id, keys, index * keyBytesMax);
    if (length === 0) throw contentIdInvalid(id);
    lengths[index] = length;
  }
  const order = sortedOrder(keys, lengths);
  const high = new Uint32Array(count);
  const low = new Uint32Array(count);
  for (let index = 0; index < count; index++) {
    const at = (order[index] ?? 0) * keyBytesMax;
    high[index] = uint32(keys, at);
    low[index] = uint32(keys, at + 4);
  }
  return {
    count,
    order,
    high,
    low,
    compare: (index, bytes, at, length) => {
      const which = order[index] ?? 0;
      return compared(keys, which * keyBytesMax, lengths[which] ?? 0, bytes, at, length);
    },
  };
}

/** The number of bits of an integer that a double can hold. */
const doubleBits = 53;

/** Numbers sort many times faster than with a comparison: the beginning of each key, then where it is. Ties are put right at the end. */
function sortedOrder(keys: Uint8Array, lengths: Uint8Array): Uint32Array {
  const { length: count } = lengths;
  const placeBits = Math.max(1, Math.ceil(Math.log2(count + 1)));
  const places = 2 ** placeBits;
  // The letter takes 8 bits, what is left of 48 is of the hash.
  const dropped = 2 ** Math.max(0, 48 - (doubleBits - placeBits));
  const numbers = new Float64Array(count);
  for (let index = 0; index < count; index++) {
    const at = index * keyBytesMax;
    const first = uint32(keys, at) * 2 ** 16 + (uint32(keys, at + 4) >>> 16);
    numbers[index] = Math.floor(first / dropped) * places + index;
  }
  numbers.sort();
  const order = Uint32Array.from(numbers, (number) => number % places);
  const isBefore = (a: number, b: number) =>
    compared(keys, a * keyBytesMax, lengths[a] ?? 0, keys, b * keyBytesMax, lengths[b] ?? 0) < 0;
  for (let index = 1; index < count; index++) {
    const which = order[index] ?? 0;
    let to = index;
    while (to > 0 && isBefore(which, order[to - 1] ?? 0)) {
      order[to] = order[to - 1] ?? 0;
      to--;
    }
    order[to] = which;
  }
  return order;
}

function compared(a: Uint8Array, aAt: number, aLength: number, b: Uint8Array, bAt: number, bLength: number): number {
  const length = Math.min(aLength, bLength);
  for (let at = 0; at < length; at++) {
    const difference = (a[aAt + at] ?? 0) - (b[bAt + at] ?? 0);
    if (difference !== 0) return difference;
  }
  return aLength - bLength;
}
