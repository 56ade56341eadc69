import { describe, expect, it } from 'vitest';
import { contentColumns, contentsOf } from './content-columns.ts';

describe('contents by column', () => {
  it('are returned as they were added, each with its bytes, even far into a large pack', () => {
    const location = (contentId: string, offset: number) => ({
      ...{ contentId, offset, packId: 'p1', length: 3, originalLength: 2 ** 33, compressionHeaderId: 0x1100 },
    });
    const locations = [location('aa', 2 ** 40 + 2), location('xbb', 2 ** 40 + 6)];
    const columns = structuredClone(contentColumns('p1', 2 ** 40, locations));
    const bytes = Uint8Array.from([0, 1, 2, 3, 4, 5, 6, 7, 8, 9]);
    expect(contentsOf(columns, bytes)).toEqual([
      { location: locations[0], packed: Uint8Array.of(2, 3, 4) },
      { location: locations[1], packed: Uint8Array.of(6, 7, 8) },
    ]);
  });
  it('of no contents are empty', () => {
    expect(contentsOf(contentColumns('p', 0, []), new Uint8Array())).toEqual([]);
  });
});
