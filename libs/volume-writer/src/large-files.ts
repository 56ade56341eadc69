import { fdatasyncSync, ftruncateSync } from 'node:fs';
import type { Attributes } from './attributes.ts';
import { BackgroundSync } from './background-sync.ts';
import type { EntryAttributes } from './entry-attributes.ts';
import { openNewFile, openPresentFile } from './open-file.ts';
import { volumeError } from './volume-error.ts';
import { readFully, writeFully, writeSparse, writeSparseOver } from './write-file.ts';

/** Files that this thread keeps open between their parts. */
const openMax = 16;

interface OpenFile {
  file: number;
  sync: BackgroundSync;
}

/** Files that are written in parts. */
export class LargeFiles {
  readonly #at: (path: string) => string;
  readonly #attributes: Attributes;
  readonly #sparse: boolean;
  /** By path, the one used last at the end. */
  readonly #open = new Map<string, OpenFile>();
  /** Of a sync that ran beside other work; told by the next call. */
  #failure: Error | undefined;

  constructor(at: (path: string) => string, attributes: Attributes, sparse: boolean) {
    this.#at = at;
    this.#attributes = attributes;
    this.#sparse = sparse;
  }

  begin(path: string, sizeBytes: number): void {
    this.#told('writing the file', path, () => {
      this.#forget(path);
      const { file } = openNewFile(this.#at(path));
      this.#keep(path, this.#withSync(path, file));
      ftruncateSync(file, sizeBytes);
    });
  }

  /** @param unfinished it was begun by somebody else, and may have no holes where it should */
  write(path: string, data: Uint8Array, offset: number, unfinished: boolean): void {
    this.#told('writing the file', path, () => {
      const { file, sync } = this.#opened(path);
      if (!this.#sparse) writeFully(file, data, offset);
      else (unfinished ? writeSparseOver : writeSparse)(file, data, offset);
      sync.wrote(data.length);
    });
    this.mustBeWell();
  }

  read(path: string, into: Uint8Array, offset: number): void {
    this.#told('reading the file', path, () => readFully(this.#opened(path).file, into, offset));
  }

  finish(path: string, given: EntryAttributes): void {
    this.#told('finishing the file', path, () => {
      const { file } = this.#opened(path);
      fdatasyncSync(file);
      this.#attributes.give(file, path, given);
      this.#forget(path);
    });
  }

  /** @throws what a sync that ran beside other work has met */
  mustBeWell(): void {
    const failure = this.#failure;
    this.#failure = undefined;
    if (failure !== undefined) throw failure;
  }

  close(): void {
    for (const path of [...this.#open.keys()]) this.#forget(path);
  }

  #opened(path: string): OpenFile {
    const open = this.#open.get(path) ?? this.#withSync(path, openPresentFile(this.#at(path)));
    this.#open.delete(path);
    this.#keep(path, open);
    return open;
  }

  #keep(path: string, open: OpenFile): void {
    this.#open.set(path, open);
    const [oldest] = this.#open.keys();
    if (this.#open.size > openMax && oldest !== undefined) this.#forget(oldest);
  }

  #forget(path: string): void {
    const open = this.#open.get(path);
    this.#open.delete(path);
    open?.sync.close();
  }

  #withSync(path: string, file: number): OpenFile {
    const onFailure = (error: Error) => {
      this.#failure ??= volumeError('writing the file', path, error);
    };
    return { file, sync: new BackgroundSync(file, onFailure) };
  }

  #told(doing: string, path: string, act: () => void): void {
    try {
      act();
    } catch (error) {
      throw volumeError(doing, path, error);
    }
  }
}
