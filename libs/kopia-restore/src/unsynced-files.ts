/** What a file of few bytes takes in the system's memory until it is on the storage. */
const pageBytes = 4096;

/**
 * Keeps what is written and not yet on the storage within a bound: the system holds it in the memory that the pod is limited to, beside ours.
 * Small files are made faster than a storage takes them, and a kernel that finds nothing in a full pod that it could give up at once kills
 * (control groups v1 do not slow down who writes). Half of the bound may be written while the other half goes to the storage.
 */
export class UnsyncedFiles {
  readonly #sync: () => Promise<void>;
  readonly #bytesMax: number;
  #unsyncedBytes = 0;
  #syncing: Promise<void> | undefined;
  #failure: { error: unknown } | undefined;

  /** @param sync brings all that was written before to the storage */
  constructor(sync: () => Promise<void>, bytesMax: number) {
    this.#sync = sync;
    this.#bytesMax = bytesMax;
  }

  /** Resolves when more may be written. @throws what a sync has met */
  async wrote({ files, bytes }: { files: number; bytes: number }): Promise<void> {
    this.#unsyncedBytes += files * pageBytes + bytes;
    while (this.#unsyncedBytes >= this.#bytesMax / 2 && this.#syncing !== undefined) await this.#syncing;
    this.throwIfFailed();
    if (this.#unsyncedBytes < this.#bytesMax / 2) return;
    this.#unsyncedBytes = 0;
    this.#syncing = this.#sync().then(
      () => this.#ended(),
      (error: unknown) => this.#ended({ error }),
    );
  }

  /** Resolves when no sync runs any more. Never rejects. */
  async settled(): Promise<void> {
    await this.#syncing;
  }

  /** The kernel reports a write error to one sync only: a later sync does not report it again. @throws that error */
  throwIfFailed(): void {
    if (this.#failure !== undefined) throw this.#failure.error;
  }

  #ended(failure?: { error: unknown }): void {
    this.#syncing = undefined;
    this.#failure ??= failure;
  }
}
