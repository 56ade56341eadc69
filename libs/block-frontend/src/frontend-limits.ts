const GiB = 1024 ** 3;

export const frontendLimits = {
  /** A device grows to twice its size without a new connection, and by at most so much. */
  reserveBytesMax: 64 * GiB,
  /** From the start of the process to the export as a file: it answers at once where the engine does. */
  readyMs: 15_000,
  /** From the attach to the device in the kernel's list, and between two looks. */
  deviceMs: 5_000,
  pollMs: 25,
  /** Until a client of the kernel has ended; a device that is mounted is waited for as long. */
  stopMs: 30_000,
  /** Devices have sectors of 512 bytes, whatever is below: an XFS made on one cannot be mounted with 4096. */
  sectorBytes: 512,
  /** Connections of one nbdfuse to the engine. It has a thread for each: with fewer than requests under way they wait for each other. */
  nbdfuseConnections: 16,
  /** Connections of one device of the kernel to the engine: many requests share one there. */
  kernelConnections: 4,
} as const;
