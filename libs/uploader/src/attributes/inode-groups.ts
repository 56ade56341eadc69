import type { FoundEntry } from './found-entry.ts';

export interface GroupedEntry {
  entry: FoundEntry;
  /** Undefined when no other name of the inode is in the tree. */
  group: number | undefined;
}

/** Numbers the inodes of entries that come sorted by inode; remembers one entry only. */
export class InodeGroups {
  #held: FoundEntry | undefined;
  #heldIsGrouped = false;
  #group = 0;

  /** The entries that are settled now. */
  take(entry: FoundEntry): GroupedEntry[] {
    if (this.#held?.inode !== entry.inode) {
      const settled = this.end();
      this.#held = entry;
      this.#heldIsGrouped = false;
      this.#group++;
      return settled;
    }
    const first = this.#heldIsGrouped ? [] : [{ entry: this.#held, group: this.#group }];
    this.#heldIsGrouped = true;
    return [...first, { entry, group: this.#group }];
  }

  /** The last entry, if it had no fellow. */
  end(): GroupedEntry[] {
    return this.#held === undefined || this.#heldIsGrouped ? [] : [{ entry: this.#held, group: undefined }];
  }
}
