import type { RestoreOperation, RestoreStore } from '@lateen/backup-store';
import type { Logger } from '@lateen/kernel';

/**
 * Operations whose file could not be stored: a location whose keys may only read, a bucket that is full. They are followed all the same, by
 * what this process knows of them. By the name of their restore.
 */
export class KeptOperations {
  readonly #log: Logger;
  readonly #kept = new Map<string, readonly RestoreOperation[]>();

  constructor(log: Logger) {
    this.#log = log;
  }

  keep(restore: string, operations: readonly RestoreOperation[]): void {
    this.#kept.set(restore, operations);
  }

  /** The restore has ended, or begins anew. */
  forget(restore: string): void {
    this.#kept.delete(restore);
  }

  /** The files of a location, in which what is kept is found, and what cannot be stored of a kept restore is no reason to stop. */
  over(files: RestoreStore): RestoreStore {
    const attempt = async (restore: string, write: () => Promise<void>, signal: AbortSignal | undefined) => {
      if (!this.#kept.has(restore)) return await write();
      try {
        await write();
      } catch (error) {
        signal?.throwIfAborted();
        this.#log.warn({ restore, err: error }, 'what became of operations cannot be stored');
      }
    };
    return {
      ...files,
      getItemOperations: async (restore, options) => {
        const kept = this.#kept.get(restore);
        return kept === undefined ? await files.getItemOperations(restore, options) : [...kept];
      },
      putItemOperations: async (restore, operations, options) => {
        if (this.#kept.has(restore)) this.#kept.set(restore, operations);
        await attempt(restore, () => files.putItemOperations(restore, operations, options), options?.signal);
      },
      putResults: (restore, results, options) =>
        attempt(restore, () => files.putResults(restore, results, options), options?.signal),
    };
  }
}
