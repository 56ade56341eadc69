import { fstatSync } from 'node:fs';

/** Who owns an entry. */
export interface Owner {
  uid: number;
  gid: number;
}

/**
 * Who owns files that this thread has just made: the same for all of one folder, by the process, the folder's set-group-ID
 * bit and the mount. So only the first of a folder is looked at, and most files need no change of their owner, which is a
 * transaction of the file system even when nothing changes.
 */
export class NewOwners {
  #folder: string | undefined;
  #owner: Owner | undefined;

  /** @param file that was made anew at `path` */
  of(file: number, path: string): Owner {
    const folder = path.slice(0, Math.max(path.lastIndexOf('/'), 0));
    if (this.#owner === undefined || this.#folder !== folder) {
      const { uid, gid } = fstatSync(file);
      this.#owner = { uid, gid };
      this.#folder = folder;
    }
    return this.#owner;
  }
}
