import { checkContentId, contentKey } from '../content-id.ts';
import { uint32 } from './index-entry.ts';

/** Ids of contents, as keys of index files, in the order of these. */
export interface SortedKeys {
  readonly count: number;
  /** Which of the ids given each is. */
  readonly order: Uint32Array;
  /** The first 8 bytes of each: nearly always enough to tell them apart. */
  readonly high: Uint32Array;
  readonly low: Uint32Array;
  key(index: number): Uint8Array;
}

/** @throws AppError CONTENT_ID_INVALID */
export function sortedKeys(contentIds: readonly string[]): SortedKeys {
  const count = contentIds.length;
  const keys = contentIds.map((id) => {
    checkContentId(id);
    return contentKey(id);
  });
  const firsts = Float64Array.from(keys, (key) => uint32(key, 0) * 2 ** 21 + (uint32(key, 4) >>> 11));
  const order = Uint32Array.from(keys, (_, index) => index).sort(
    (a, b) =>
      (firsts[a] ?? 0) - (firsts[b] ?? 0) || Buffer.compare(keys[a] ?? new Uint8Array(), keys[b] ?? new Uint8Array()),
  );
  const key = (index: number) => keys[order[index] ?? 0] ?? new Uint8Array();
  return {
    count,
    order,
    high: Uint32Array.from({ length: count }, (_, index) => uint32(key(index), 0)),
    low: Uint32Array.from({ length: count }, (_, index) => uint32(key(index), 4)),
    key,
  };
}
