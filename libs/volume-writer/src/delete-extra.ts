import { type Dirent, readdirSync, rmSync, unlinkSync } from 'node:fs';
import type { EntryPlace } from './entry-place.ts';
import { volumeError } from './volume-error.ts';

/** An entry of a folder as the snapshot has it. */
export interface KeptEntry {
  name: string;
  isFolder: boolean;
}

export interface DeletedEntries {
  folders: number;
  others: number;
}

/** As kopia does: what has the name of an entry but is a folder where that is none, or the reverse, goes as well. */
export function deleteExtra({ path, at }: EntryPlace, kept: readonly KeptEntry[]): DeletedEntries {
  const isFolder = new Map(kept.map((entry) => [entry.name, entry.isFolder]));
  const deleted: DeletedEntries = { folders: 0, others: 0 };
  try {
    for (const there of readdirSync(at, { withFileTypes: true, encoding: 'buffer' })) {
      if (isFolder.get(textOf(there)) === there.isDirectory()) continue;
      const extra = Buffer.concat([Buffer.from(`${at}/`), there.name]);
      if (there.isDirectory()) {
        rmSync(extra, { recursive: true });
        deleted.folders++;
      } else {
        unlinkSync(extra);
        deleted.others++;
      }
    }
  } catch (error) {
    throw volumeError('deleting what the snapshot does not have in', path, error);
  }
  return deleted;
}

/** The name as the snapshot would have it; none for bytes that are no text, which no entry of a snapshot is called. */
function textOf({ name }: Dirent<NonSharedBuffer>): string {
  const text = name.toString();
  return Buffer.from(text).equals(name) ? text : '';
}
