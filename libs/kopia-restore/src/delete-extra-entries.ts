import type { FolderEntry, ObjectId } from '@lateen/kopia-format';
import type { KeptEntry } from '@lateen/volume-writer';
import { readingAhead } from './folders-ahead.ts';
import type { RestoreLimits, RestorePorts } from './restore-ports.ts';
import { pathIn } from './tree-entry.ts';
import type { ReadFolder } from './windows.ts';

type Ports = Pick<RestorePorts, 'folders' | 'pool'>;

/** Names are smaller than entries. */
const namesOfAnEntry = 4;

/**
 * Deletes what the volume has in folders of the snapshot and the snapshot does not have, before anything is written, so that its
 * room is there. Folders that the volume lacks are not looked into. Memory: some names, and those of the folders among them for each
 * folder on the way to the one that is being looked at. A large folder of the volume is gone through once for each part of its names.
 */
export async function deleteExtraEntries(
  { folders, pool }: Ports,
  limits: RestoreLimits,
  root: ObjectId,
  signal: AbortSignal,
): Promise<void> {
  await readingAhead(folders, limits, signal, (readFolder) =>
    deleteBelow({ readFolder, pool, limits, signal }, '', root),
  );
}

interface Deletion extends Pick<Ports, 'pool'> {
  readFolder: ReadFolder;
  limits: RestoreLimits;
  signal: AbortSignal;
}

async function deleteBelow(deletion: Deletion, path: string, objectId: ObjectId): Promise<void> {
  const { readFolder, pool, limits, signal } = deletion;
  let part = new FolderPart(undefined);
  /** False when the volume has no such folder. */
  const look = async (isLast: boolean): Promise<boolean> => {
    const { names, isFolder, folders } = part;
    const upTo = isLast ? undefined : part.last;
    const task = { kind: 'delete-extra' as const, path, names, isFolder, after: part.after, upTo };
    const { there } = await pool.run(task, signal);
    if (there?.[0] !== 1) return false;
    part = new FolderPart(upTo);
    for (const { name, objectId: below } of folders) await deleteBelow(deletion, pathIn(path, name), below);
    return true;
  };
  for await (const entries of readFolder(objectId)) {
    for (const entry of entries) {
      if (part.isFull(limits) && !(await look(false))) return;
      part.add(entry);
    }
  }
  await look(true);
}

/** Entries of a folder that follow each other in the snapshot. */
class FolderPart {
  readonly names: string[] = [];
  readonly isFolder: boolean[] = [];
  readonly folders: { name: string; objectId: ObjectId }[] = [];
  /** The last one of the part before; undefined for the first part. */
  readonly after: KeptEntry | undefined;
  #nameBytes = 0;

  constructor(after: KeptEntry | undefined) {
    this.after = after;
  }

  add({ name, type, objectId }: FolderEntry): void {
    this.names.push(name);
    this.isFolder.push(type === 'folder');
    this.#nameBytes += name.length;
    if (type === 'folder' && objectId !== undefined) this.folders.push({ name, objectId });
  }

  isFull({ entriesMax, nameBytesMax }: RestoreLimits): boolean {
    return this.names.length >= namesOfAnEntry * entriesMax || this.#nameBytes >= nameBytesMax;
  }

  get last(): KeptEntry | undefined {
    const name = this.names.at(-1);
    return name === undefined ? undefined : { name, isFolder: this.isFolder.at(-1) === true };
  }
}
