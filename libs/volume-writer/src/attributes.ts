import { fchmodSync, fchownSync, futimesSync, lchownSync } from 'node:fs';
import { getSystemErrorName } from 'node:util';
import type { EntryAttributes } from './entry-attributes.ts';
import type { ExactTimes } from './exact-times.ts';
import { exactSeconds } from './nanosecond-times.ts';
import { NewOwners, type Owner } from './new-owners.ts';
import type { NewFile } from './open-file.ts';
import { volumeError } from './volume-error.ts';

/** What went wrong without failing anything, as with kopia's `--ignore-permission-errors`. */
export interface PermissionErrors {
  count: number;
  /** The first of them, in words. */
  first: string | undefined;
}

/** Gives entries their owner, permissions and times; what is not permitted is counted and left. */
export class Attributes {
  readonly permissionErrors: PermissionErrors = { count: 0, first: undefined };
  readonly #times: ExactTimes;
  readonly #newOwners = new NewOwners();

  constructor(times: ExactTimes) {
    this.#times = times;
  }

  /** Of an open file or folder. */
  give(file: number, path: string, given: EntryAttributes): void {
    this.#giveAs(undefined, file, path, given);
  }

  /** Of a file that was opened with `openNewFile`. */
  giveNew({ file, isMade }: NewFile, path: string, given: EntryAttributes): void {
    this.#giveAs(isMade ? this.#newOwners.of(file, path) : undefined, file, path, given);
  }

  /** The owner, where it is not this one, comes first: a change of it takes set-user-ID away. */
  #giveAs(owner: Owner | undefined, file: number, path: string, { mode, uid, gid, mtimeNs }: EntryAttributes): void {
    if (owner?.uid !== uid || owner.gid !== gid) this.#permitted(path, () => fchownSync(file, uid, gid));
    this.#permitted(path, () => fchmodSync(file, mode));
    const seconds = exactSeconds(mtimeNs);
    if (seconds === undefined) this.#times.add(path, mtimeNs);
    else this.#permitted(path, () => futimesSync(file, seconds, seconds));
  }

  /** Of a link, which has no permissions of its own. */
  giveLink(at: string, path: string, { uid, gid, mtimeNs }: EntryAttributes): void {
    this.#permitted(path, () => lchownSync(at, uid, gid));
    this.#times.add(path, mtimeNs);
  }

  async settle(): Promise<void> {
    for (const { path, errno } of await this.#times.settle()) {
      this.#permitted(path, () => {
        const code = getSystemErrorName(-errno);
        throw volumeError('setting the time of', path, Object.assign(new Error(`utimensat: ${code}`), { code }));
      });
    }
  }

  #permitted(path: string, act: () => void): void {
    try {
      act();
    } catch (error) {
      const { code } = (error instanceof Error ? (error.cause ?? error) : error) as NodeJS.ErrnoException;
      if (code !== 'EPERM' && code !== 'EACCES') throw error;
      this.permissionErrors.count++;
      this.permissionErrors.first ??= `${path}: ${error instanceof Error ? error.message : String(error)}`;
    }
  }
}
