/**
 * What can be read and written like a disk. The engine is one (it writes to all replicas), a link to a replica is one.
 *
 * Requests may overlap in time and end in any order. `at` and lengths are bytes; alignment is not asked for; a length is from
 * 1 to {@link blockRequestBytesMax} and lies within the device. Whoever serves a target checks that before it calls.
 *
 * Bytes belong to the caller until the promise settles: a target may pass the same pieces on to several places, so the
 * caller does not change them before. What `read` returns belongs to whoever asked, and nobody else changes it.
 *
 * Errors carry an errno: `blockIoError`, read back with `errnoOf`; what has none counts as EIO.
 */
export interface BlockTarget {
  readonly sizeBytes: bigint;
  /** Pieces in order; their lengths add up to `lengthBytes`. Never one copy more: who needs one buffer joins them. */
  read(at: bigint, lengthBytes: number): Promise<readonly Uint8Array[]>;
  /** Resolves when later reads return the bytes; with `fua` when they also outlive a loss of power. */
  write(at: bigint, data: readonly Uint8Array[], o?: WriteOptions): Promise<void>;
  /** The area reads as zeros afterwards. With `unmap` it need not take room any more. */
  zero(at: bigint, lengthBytes: number, o?: ZeroOptions): Promise<void>;
  /** The caller does not need the bytes of this area any more. What it reads as afterwards is not said. */
  trim(at: bigint, lengthBytes: number): Promise<void>;
  /** Resolves when every request that was answered before this call outlives a loss of power. */
  flush(): Promise<void>;
}

export interface WriteOptions {
  /** Force unit access: answered only when the data outlives a loss of power. */
  readonly fua?: boolean;
}

export interface ZeroOptions extends WriteOptions {
  readonly unmap?: boolean;
}

/** Longest request: what qemu-storage-daemon, nbdfuse and the kernel's client take. */
export const blockRequestBytesMax = 32 * 1024 * 1024;
