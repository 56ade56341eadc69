import { lstatSync, type Stats } from 'node:fs';
import { type ByteText, invalidManifest } from './attribute-record.ts';

/** What is at a path now; links are not followed. */
export type FoundKind = 'directory' | 'file' | 'symlink' | 'other' | 'missing' | 'no folder';

/**
 * Keeps a manifest inside the volume. A record may only name an entry whose parents are all real directories of the volume now.
 * No step of a restore replaces a directory by something else, so none of these parents can lead out of the volume later. The
 * volume belongs to one pod, which is ours.
 */
export class VolumeGuard {
  readonly #root: string;
  /** The last folder that was found to be real, as components: the next record is mostly in the same folder or next to it. */
  #known: readonly ByteText[] = [];

  constructor(volumePath: string) {
    this.#root = volumePath;
  }

  /**
   * What is at the path; `no folder` when its parent folder is missing, because kopia leaves out what the volume's .kopiaignore
   * files name.
   * @throws ATTRIBUTES_INVALID for a path that leaves the volume, or leads through anything but directories
   */
  look(path: ByteText): FoundKind {
    const components = componentsOf(path);
    const parents = components.slice(0, -1);
    let known = 0;
    while (known < parents.length && parents[known] === this.#known[known]) known++;
    for (let depth = known + 1; depth <= parents.length; depth++) {
      const kind = this.#kindOf(parents.slice(0, depth).join('/'));
      if (kind === 'missing') return 'no folder';
      if (kind !== 'directory')
        throw invalidManifest(`${JSON.stringify(path)} leads through something that is not a directory`);
    }
    if (parents.length > 0) this.#known = parents;
    return this.#kindOf(path);
  }

  /** Whether two restored files may have been names of one file: they have the same size and time. Call `look` for both first. */
  mayBeOneFile(one: ByteText, other: ByteText): boolean {
    const [a, b] = [one, other].map((path) => lstatSync(this.absolute(path), { bigint: true, throwIfNoEntry: false }));
    return a !== undefined && a.size === b?.size && a.mtimeNs === b.mtimeNs;
  }

  #kindOf(path: ByteText): FoundKind {
    const stat = this.#stat(path);
    if (stat === undefined) return 'missing';
    if (stat.isDirectory()) return 'directory';
    if (stat.isFile()) return 'file';
    return stat.isSymbolicLink() ? 'symlink' : 'other';
  }

  #stat(path: ByteText): Stats | undefined {
    try {
      return lstatSync(this.absolute(path), { throwIfNoEntry: false });
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code === 'ENAMETOOLONG') throw invalidManifest('a name is too long');
      throw error;
    }
  }

  absolute(path: ByteText): Buffer {
    return Buffer.concat([Buffer.from(this.#root), Buffer.from(path === '' ? '' : `/${path}`, 'latin1')]);
  }
}

/** @throws ATTRIBUTES_INVALID unless the path is relative and plain; "" is the root. */
export function componentsOf(path: ByteText): ByteText[] {
  if (path === '') return [];
  const components = path.split('/');
  if (components.some((each) => each === '' || each === '.' || each === '..'))
    throw invalidManifest(`${JSON.stringify(path.slice(0, 120))} is not a path inside the volume`);
  return components;
}
