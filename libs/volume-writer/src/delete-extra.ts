import { type Dirent, opendirSync, rmSync, unlinkSync } from 'node:fs';
import type { EntryPlace } from './entry-place.ts';
import { volumeError } from './volume-error.ts';

/** An entry of a folder as the snapshot has it. */
export interface KeptEntry {
  name: string;
  isFolder: boolean;
}

/** A part of a folder, in the order in which snapshots have entries: folders first, each kind by the bytes of its names. */
export interface FolderSpan {
  /** Undefined: from the first on. */
  after?: KeptEntry | undefined;
  /** Undefined: to the last. */
  upTo?: KeptEntry | undefined;
}

export interface DeletedEntries {
  folders: number;
  others: number;
}

/**
 * As kopia does: what has the name of an entry but is a folder where that is none, or the reverse, goes as well. The folder is gone
 * through name by name, so its size does not matter.
 * @param kept what the snapshot has in the span
 */
export function deleteExtra(
  { path, at }: EntryPlace,
  kept: readonly KeptEntry[],
  span: FolderSpan = {},
): DeletedEntries {
  const kinds = kindsOf(kept);
  const isIn = inSpan(span);
  const deleted: DeletedEntries = { folders: 0, others: 0 };
  try {
    for (const there of entriesAt(at)) {
      if (!isIn(there) || kinds.get(textOf(there)) === there.isDirectory()) continue;
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

/** As many names at a time as are worth a call. */
const namesAtOnce = 1_024;

/** What is deleted on the way is not met again, and nothing else is passed by, as `rm -r` relies on too. */
function* entriesAt(at: string): Generator<Dirent<NonSharedBuffer>> {
  // Its type knows names that are text alone.
  const options = { encoding: 'buffer' as BufferEncoding, bufferSize: namesAtOnce };
  const folder = opendirSync(at, options);
  try {
    for (let entry = folder.readSync(); entry !== null; entry = folder.readSync())
      yield entry as unknown as Dirent<NonSharedBuffer>;
  } finally {
    folder.closeSync();
  }
}

function inSpan({ after, upTo }: FolderSpan): (there: Dirent<NonSharedBuffer>) => boolean {
  const comparing = (place: KeptEntry | undefined) => {
    if (place === undefined) return undefined;
    const name = Buffer.from(place.name);
    return (there: Dirent<NonSharedBuffer>) =>
      Number(place.isFolder) - Number(there.isDirectory()) || Buffer.compare(there.name, name);
  };
  const [toAfter, toUpTo] = [comparing(after), comparing(upTo)];
  return (there) => (toAfter?.(there) ?? 1) > 0 && (toUpTo?.(there) ?? 0) <= 0;
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
