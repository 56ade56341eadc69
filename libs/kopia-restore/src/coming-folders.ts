import type { FolderEntry, ObjectId } from '@lateen/kopia-format';

/** A folder that a walk knows of and has not been through. */
export interface ComingFolder {
  readonly objectId: ObjectId;
  readonly parent: ComingFolder | undefined;
  /** The walk has reached it. */
  isAsked: boolean;
  /** Of its object; infinite for what is not read ahead, undefined until it is known. */
  bytes: number | undefined;
  /** Read ahead, or on the way. */
  entries: Promise<readonly (readonly FolderEntry[])[]> | undefined;
}

/**
 * What is still to come of a walk that goes depth first, in the order in which it ends with each: a folder is behind those in it, so
 * new ones are put in before it, and what has not been read is in the order in which it will be. Memory: the folders in what was
 * read and not yet been through.
 */
export class ComingFolders {
  readonly #folders: ComingFolder[] = [];

  /** The first ones. */
  next(count: number): readonly ComingFolder[] {
    return this.#folders.slice(0, count);
  }

  /** The walk has reached this folder. @returns it, and the folders before it that the walk has skipped, which are no longer needed */
  ask(objectId: ObjectId): { folder: ComingFolder; leftOut: readonly ComingFolder[] } {
    const at = this.#folders.findIndex((coming) => !coming.isAsked && isSame(coming.objectId, objectId));
    const folder = this.#folders[at] ?? comingFolder(objectId, undefined);
    folder.isAsked = true;
    if (at === -1) this.#folders.unshift(folder);
    const leftOut = this.#folders.slice(0, Math.max(at, 0)).filter((before) => !isBelow(before, folder));
    for (const each of leftOut) this.remove(each);
    return { folder, leftOut };
  }

  /** Those in a folder, as far as that has been read. Nothing when the folder is none any more. */
  meet(folder: ComingFolder, entries: readonly FolderEntry[]): void {
    const at = this.#folders.indexOf(folder);
    if (at === -1) return;
    const below = entries.flatMap(({ type, objectId }) =>
      type === 'folder' && objectId !== undefined ? [comingFolder(objectId, folder)] : [],
    );
    this.#folders.splice(at, 0, ...below);
  }

  /** The walk is through with it. */
  remove(folder: ComingFolder): void {
    const at = this.#folders.indexOf(folder);
    if (at >= 0) this.#folders.splice(at, 1);
  }
}

const comingFolder = (objectId: ObjectId, parent: ComingFolder | undefined): ComingFolder => ({
  objectId,
  parent,
  isAsked: false,
  bytes: undefined,
  entries: undefined,
});

function isBelow({ parent }: ComingFolder, folder: ComingFolder): boolean {
  for (let above = parent; above !== undefined; above = above.parent) if (above === folder) return true;
  return false;
}

const isSame = (one: ObjectId, other: ObjectId): boolean =>
  one.contentId === other.contentId && one.indirection === other.indirection;
