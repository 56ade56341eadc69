import { type FolderEntry, folderEntry, type NameOptions } from './folder-entry.ts';
import { jsonEntries, type Pieces } from './json-entries.ts';

/**
 * The entries of a folder from the bytes of its object, as kopia has written them (folders first, each kind sorted by the bytes of
 * its names), in groups.
 * @throws AppError SNAPSHOT_CORRUPT, also for names that would lead out of the folder
 */
export async function* folderEntries(pieces: Pieces, options: NameOptions = {}): AsyncGenerator<FolderEntry[]> {
  for await (const entries of jsonEntries('kopia:directory', pieces))
    yield entries.map((entry) => folderEntry(entry, options));
}
