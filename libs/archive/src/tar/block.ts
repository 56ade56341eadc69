/** Everything in a tar stands in blocks of this size (POSIX.1-2024, pax, "ustar Interchange Format"). */
export const blockBytes = 512;

/** Zeros between what has `sizeBytes` and the next block. */
export const paddingOf = (sizeBytes: number): number => (blockBytes - (sizeBytes % blockBytes)) % blockBytes;
