/**
 * Something that can be read and written like a disk. The engine is one (it writes to all replicas), a link to a replica is another.
 *
 * Requests may overlap in time and end in any order. `at` and lengths are bytes; no alignment is required; a length is from 1 to {@link
 * blockRequestBytesMax} and lies within the device. The server of a target checks that before it calls.
 *
 * Buffers belong to the caller until the promise settles: a target may pass the same buffers on to several places, so the caller does not change them
 * before. What `read` returns belongs to the caller, and no other code changes it.
 *
 * Errors carry an errno: made by `blockIoError`, read by `errnoOf`; an error without one counts as EIO.
 */
export interface BlockTarget {
  readonly sizeBytes: bigint;
  /** Pieces in order; their lengths add up to `lengthBytes`. They are not copied into one buffer: a caller that needs one buffer joins them. */
  read(at: bigint, lengthBytes: number): Promise<readonly Uint8Array[]>;
  /** Resolves when later reads return the bytes; with `fua` when they also survive a power loss. */
  write(at: bigint, data: readonly Uint8Array[], o?: WriteOptions): Promise<void>;
  /** The area reads as zeros afterwards. With `unmap` its space may be freed. */
  zero(at: bigint, lengthBytes: number, o?: ZeroOptions): Promise<void>;
  /** The caller does not need the bytes of this area any more. What the area reads as afterwards is undefined. */
  trim(at: bigint, lengthBytes: number): Promise<void>;
  /** Resolves when every request that was answered before this call survives a power loss. */
  flush(): Promise<void>;
}

export interface WriteOptions {
  /** Force unit access: answered only when the data survives a power loss. */
  readonly fua?: boolean;
}

export interface ZeroOptions extends WriteOptions {
  readonly unmap?: boolean;
}

/** Longest request: the limit of qemu-storage-daemon, nbdfuse and the kernel's client. */
export const blockRequestBytesMax = 32 * 1024 * 1024;
