import { lstatSync, readdirSync, renameSync, rmdirSync, rmSync } from 'node:fs';
import type { ByteText } from './attribute-record.ts';
import { kopiaName, shownName } from './kopia-name.ts';
import { type Complaints, complain } from './program-sink.ts';
import type { VolumeGuard } from './volume-guard.ts';

/**
 * Maps source paths to the present paths of a restored tree: entries have the names that kopia gave them until their original
 * names are restored.
 */
export class GivenNames {
  readonly #guard: VolumeGuard;
  readonly #complaints: Complaints;
  #areGivenBack = false;

  constructor(guard: VolumeGuard, complaints: Complaints) {
    this.#guard = guard;
    this.#complaints = complaints;
  }

  /** The present path of an entry of the source. */
  now(path: ByteText): ByteText {
    return this.#areGivenBack ? path : kopiaName(path);
  }

  /**
   * Restores the original name of an entry; the entries of a folder come before the folder. What an earlier attempt left under
   * that name is overwritten; entries that the snapshot lacks stay in their folder. Returns false when there is no such entry.
   * @throws ATTRIBUTES_INVALID as the guard
   */
  giveBack(path: ByteText): boolean {
    this.#areGivenBack = true;
    const border = path.lastIndexOf('/') + 1;
    const from = kopiaName(path);
    const to = kopiaName(path.slice(0, border)) + path.slice(border);
    const kind = this.#guard.look(from);
    if (from === to || kind === 'missing' || kind === 'no folder') return false;
    const before = this.#guard.look(to);
    try {
      if ((before === 'directory') !== (kind === 'directory') && before !== 'missing')
        throw new Error('something else is there');
      if (before === 'directory') adopt(this.#guard.absolute(to), this.#guard.absolute(from));
      renameSync(this.#guard.absolute(from), this.#guard.absolute(to));
    } catch (error) {
      complain(this.#complaints, `${shownName(path)} keeps the name ${shownName(from)}: ${(error as Error).message}`);
    }
    return true;
  }
}

/** Moves entries that only the older folder has into the newer one, and removes the older one. */
function adopt(older: Buffer, newer: Buffer): void {
  for (const name of readdirSync(older, { encoding: 'buffer' })) {
    const [from, to] = [older, newer].map((folder) => Buffer.concat([folder, Buffer.from('/'), name])) as [
      Buffer,
      Buffer,
    ];
    const [old, fresh] = [lstatSync(from), lstatSync(to, { throwIfNoEntry: false })];
    if (fresh === undefined) renameSync(from, to);
    else if (old.isDirectory() && fresh.isDirectory()) adopt(from, to);
    else rmSync(from, { recursive: true });
  }
  rmdirSync(older);
}
