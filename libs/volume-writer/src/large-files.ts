import { closeSync, fdatasyncSync, ftruncateSync } from 'node:fs';
import type { Attributes } from './attributes.ts';
import type { EntryAttributes } from './entry-attributes.ts';
import { openNewFile, openPresentFile } from './open-file.ts';
import { volumeError } from './volume-error.ts';
import { writeFully, writeSparse } from './write-file.ts';

/** Files that this thread keeps open between their parts. */
const openMax = 16;

/** Files that are written in parts. */
export class LargeFiles {
  readonly #at: (path: string) => string;
  readonly #attributes: Attributes;
  readonly #sparse: boolean;
  /** By path, the one used last at the end. */
  readonly #open = new Map<string, number>();

  constructor(at: (path: string) => string, attributes: Attributes, sparse: boolean) {
    this.#at = at;
    this.#attributes = attributes;
    this.#sparse = sparse;
  }

  begin(path: string, sizeBytes: number): void {
    this.#told('writing the file', path, () => {
      this.#forget(path);
      const file = openNewFile(this.#at(path));
      this.#keep(path, file);
      ftruncateSync(file, sizeBytes);
    });
  }

  write(path: string, data: Uint8Array, offset: number): void {
    this.#told('writing the file', path, () => {
      const file = this.#file(path);
      if (this.#sparse) writeSparse(file, data, offset);
      else writeFully(file, data, offset);
    });
  }

  finish(path: string, given: EntryAttributes): void {
    this.#told('finishing the file', path, () => {
      const file = this.#file(path);
      fdatasyncSync(file);
      this.#attributes.give(file, path, given);
      this.#forget(path);
    });
  }

  close(): void {
    for (const path of [...this.#open.keys()]) this.#forget(path);
  }

  #file(path: string): number {
    const open = this.#open.get(path);
    this.#open.delete(path);
    const file = open ?? openPresentFile(this.#at(path));
    this.#keep(path, file);
    return file;
  }

  #keep(path: string, file: number): void {
    this.#open.set(path, file);
    const [oldest] = this.#open.keys();
    if (this.#open.size > openMax && oldest !== undefined) this.#forget(oldest);
  }

  #forget(path: string): void {
    const file = this.#open.get(path);
    this.#open.delete(path);
    if (file !== undefined) closeSync(file);
  }

  #told(doing: string, path: string, act: () => void): void {
    try {
      act();
    } catch (error) {
      throw volumeError(doing, path, error);
    }
  }
}
