import type { FailureFate } from './failure-fate.ts';

/** What this process knows of a repository beside its status; lost on a restart without harm. */
export interface RepositoryMemory {
  /** `placeFingerprint` of the location at the last success. */
  opened?: string;
  /** The same when it was found to be gone. */
  gone?: string | undefined;
  /** When it was opened, on the monotonic clock. */
  openedAtMs?: number;
  /** Tries that failed: when the last was, how long after it the next is due, how many in a row in the same way, and of what. */
  tried?: { atMs: number; pauseMs: number; times: number; fate: FailureFate; of: string } | undefined;
  /** Its first look in this process is spread over a whole round, the later ones keep their distance. */
  looked?: boolean;
  /** Fingerprint of the object that opens it, when it last opened or was first checked; later checks compare with it. */
  format?: string | undefined;
  /** The same at the last look. */
  formatSeen?: string | undefined;
  /** That object is not the one that it opened with. */
  suspect?: boolean;
  /** The password has changed since it was opened. */
  unproven?: boolean;
}

/** Memories by key; one is gone with its repository. */
export class RepositoryMemories {
  readonly #memories = new Map<string, RepositoryMemory>();

  get size(): number {
    return this.#memories.size;
  }

  of(key: string): RepositoryMemory {
    const memory = this.#memories.get(key) ?? {};
    this.#memories.set(key, memory);
    return memory;
  }

  forget(key: string): void {
    this.#memories.delete(key);
  }

  /** Something that a try depends on has changed: the next is due at once. */
  forgetTries(key: string): void {
    const memory = this.#memories.get(key);
    if (memory !== undefined) memory.tried = undefined;
  }
}
