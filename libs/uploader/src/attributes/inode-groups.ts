import type { FoundEntry } from './found-entry.ts';

export interface GroupedEntry {
  entry: FoundEntry;
  /** Undefined when no other name of the inode is in the tree. */
  group: number | undefined;
}

/** Numbers the inodes of entries that arrive sorted by inode; remembers only one entry. */
export class InodeGroups {
  #held: FoundEntry | undefined;
  #heldIsGrouped = false;
  #group = 0;

  /** Returns the entries whose group is known now. */
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

  /** Returns the last entry, if it is still held back. */
  end(): GroupedEntry[] {
    return this.#held === undefined || this.#heldIsGrouped ? [] : [{ entry: this.#held, group: undefined }];
  }
}
