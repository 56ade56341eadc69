import type { ContentLocation } from '../content-location.ts';
import { unsupported } from '../unsupported.ts';
import type { IndexEntry } from './index-entry.ts';
import type { IndexTables } from './index-tables.ts';

/** The newest that was found of one content so far. */
export interface Newest extends IndexEntry {
  tables: IndexTables;
}

/** As kopia decides between entries of several index blobs: the later, of one time what is not deleted, then any, always the same. */
export function isNewer(entry: IndexEntry, tables: IndexTables, than: Newest | undefined): boolean {
  if (than === undefined) return true;
  if (entry.time !== than.time) return entry.time > than.time;
  if (entry.isDeleted !== than.isDeleted) return !entry.isDeleted;
  return tables.packId(entry) > than.tables.packId(than);
}

/** @throws AppError REPOSITORY_FORMAT_UNSUPPORTED, INDEX_CORRUPT */
export function locationOf(contentId: string, entry: Newest): ContentLocation {
  const { tables } = entry;
  if (tables.encryptionKeyId(entry) !== 0) throw unsupported('more than one encryption key');
  return {
    contentId,
    packId: tables.packId(entry),
    offset: entry.offset,
    length: entry.length,
    originalLength: entry.originalLength,
    compressionHeaderId: tables.compressionHeaderId(entry),
  };
}
