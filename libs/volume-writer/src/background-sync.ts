import { closeSync, fdatasync } from 'node:fs';

/** Written to one file before the system is told to store it, beside what is written next. */
const unsyncedBytesMax = 32 * 1024 * 1024;

/**
 * Has what is written to a file stored while more of it is written. Otherwise all of it would wait in memory for the file's
 * end: a pod with little memory would wait for its storage then, and the end would take long.
 */
export class BackgroundSync {
  readonly #file: number;
  readonly #onFailure: (error: Error) => void;
  #unsyncedBytes = 0;
  #isSyncing = false;
  #isClosed = false;

  /** @param file is closed with this */
  constructor(file: number, onFailure: (error: Error) => void) {
    this.#file = file;
    this.#onFailure = onFailure;
  }

  wrote(bytes: number): void {
    this.#unsyncedBytes += bytes;
    if (this.#unsyncedBytes < unsyncedBytesMax || this.#isSyncing) return;
    this.#unsyncedBytes = 0;
    this.#isSyncing = true;
    fdatasync(this.#file, (error) => {
      this.#isSyncing = false;
      if (error !== null) this.#onFailure(error);
      if (this.#isClosed) closeSync(this.#file);
    });
  }

  /** At once, or when the sync is over that runs. */
  close(): void {
    this.#isClosed = true;
    if (!this.#isSyncing) closeSync(this.#file);
  }
}
