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
  const kinds = kindsOf(kept);
  const deleted: DeletedEntries = { folders: 0, others: 0 };
  try {
    for (const there of readdirSync(at, { withFileTypes: true, encoding: 'buffer' })) {
      if (kinds.get(textOf(there)) === there.isDirectory()) continue;
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

/**
 * Whether each name is that of a folder. Of a name that a snapshot has twice, which only somebody hostile makes, the folder
 * stays: if it went, a link could take its place while files are written in it.
 */
function kindsOf(kept: readonly KeptEntry[]): Map<string, boolean> {
  const kinds = new Map<string, boolean>();
  for (const { name, isFolder } of kept) kinds.set(name, isFolder || kinds.get(name) === true);
  return kinds;
}

/** The name as the snapshot would have it; none for bytes that are no text, which no entry of a snapshot is called. */
function textOf({ name }: Dirent<NonSharedBuffer>): string {
  const text = name.toString();
  return Buffer.from(text).equals(name) ? text : '';
}
