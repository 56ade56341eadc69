import { indexCorrupt } from './index-corrupt.ts';
import { type IndexEntry, uint32 } from './index-entry.ts';
import { formatInfoBytes, type IndexLayout, packInfoBytes } from './index-layout.ts';
import type { IndexSource } from './index-source.ts';

/** What entries of one index file point to. */
export interface IndexTables {
  packId(entry: IndexEntry): string;
  compressionHeaderId(entry: IndexEntry): number;
  /** kopia has no other than 0 so far. */
  encryptionKeyId(entry: IndexEntry): number;
}

const { fromCharCode } = String;

/** Reads everything behind the entries: some 60 bytes for each pack. @throws AppError INDEX_CORRUPT */
export async function readTables(
  blobId: string,
  layout: IndexLayout,
  source: IndexSource,
  signal: AbortSignal,
): Promise<IndexTables> {
  const start = layout.packsOffset;
  const view = await source.read(start, source.size - start, signal);
  const bytes = source.whole === undefined ? view.slice() : view;
  const names = new Map<number, string>();
  const name = (offset: number, length: number): string => {
    const from = offset - start;
    if (from < 0 || from + length > bytes.length || length === 0)
      throw indexCorrupt(blobId, 'a name of a pack lies outside of it');
    return fromCharCode(...bytes.subarray(from, from + length));
  };
  const packName = (entry: IndexEntry): string => {
    if (layout.version === 1) return name(entry.pack, entry.packNameLength);
    if (entry.pack >= layout.packCount) throw indexCorrupt(blobId, 'an entry names a pack that it does not list');
    const at = entry.pack * packInfoBytes;
    return name(uint32(bytes, at + 1), bytes[at] ?? 0);
  };
  const formatAt = (entry: IndexEntry): number => {
    if (entry.format >= layout.formatCount) throw indexCorrupt(blobId, 'an entry names a format that it does not list');
    return layout.formatsOffset - start + entry.format * formatInfoBytes;
  };
  return {
    packId: (entry) => {
      let known = names.get(entry.pack);
      if (known === undefined) {
        known = packName(entry);
        names.set(entry.pack, known);
      }
      return known;
    },
    compressionHeaderId: (entry) => (layout.version === 1 ? 0 : uint32(bytes, formatAt(entry))),
    encryptionKeyId: (entry) => (layout.version === 1 ? 0 : (bytes[formatAt(entry) + 5] ?? 0)),
  };
}
