import { lstatSync, readdirSync, renameSync, rmdirSync, rmSync } from 'node:fs';
import type { ByteText } from './attribute-record.ts';
import { kopiaName, shownName } from './kopia-name.ts';
import { type Complaints, complain } from './program-sink.ts';
import type { VolumeGuard } from './volume-guard.ts';

/** What the entries of a restored tree are called: by the names that kopia gave them until the first is given back. */
export class GivenNames {
  readonly #guard: VolumeGuard;
  readonly #complaints: Complaints;
  #areGivenBack = false;

  constructor(guard: VolumeGuard, complaints: Complaints) {
    this.#guard = guard;
    this.#complaints = complaints;
  }

  /** Where an entry of the source is now. */
  now(path: ByteText): ByteText {
    return this.#areGivenBack ? path : kopiaName(path);
  }

  /**
   * Gives an entry its name back; those in a folder come before the folder. Over what an earlier attempt has left there; what the
   * snapshot lacks stays in its folder. False when there is no such entry. @throws ATTRIBUTES_INVALID as the guard
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

/** Moves what only the older folder has into the newer one, and removes the older one. */
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
