import type { RestoreOperation, RestoreStore } from '@lateen/backup-store';
import type { Logger } from '@lateen/kernel';

/**
 * Operations whose file could not be stored, for example because credentials are read-only or the bucket is full. They are followed from the
 * memory of this process. By the name of their restore.
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

  /** Call it when the restore has ended or starts again. */
  forget(restore: string): void {
    this.#kept.delete(restore);
  }

  /** A store that also returns the operations kept in memory, and ignores failures to store those of a kept restore. */
  over(files: RestoreStore): RestoreStore {
    const attempt = async (restore: string, write: () => Promise<void>, signal: AbortSignal | undefined) => {
      if (!this.#kept.has(restore)) return await write();
      try {
        await write();
      } catch (error) {
        signal?.throwIfAborted();
        this.#log.warn({ restore, err: error }, 'the results of operations cannot be stored');
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
