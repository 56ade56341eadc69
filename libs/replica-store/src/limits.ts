const KiB = 1024;
const MiB = 1024 * KiB;

/** Every bound of a replica in one place. */
export const replicaLimits = {
  /** Calls that wait for their turn on one replica. */
  waitingMax: 64,
  /** A disk is low below this part of it ... */
  lowPart: 0.01,
  /** ... or below this, whichever is more: an overlay with its tables and the record still fit. */
  lowBytes: 64 * MiB,
  /** Heads and copies are written in these units: the sub-clusters of the images. */
  unitBytes: 4 * KiB,
  clusterBytes: 128 * KiB,
  /** Of each open layer: qemu's own choice for a large disk is 32 MiB, and there are up to 250 layers. Idle tables are given back. */
  tableCache: { tableCacheBytes: MiB, tableCacheIdleSeconds: 60 },
  /** One request of a copy or of a sum ... */
  pieceBytes: 2 * MiB,
  /** ... and so many bytes at once, for each layer that is copied (read, and written again) or summed. */
  bytesAtOnce: 8 * MiB,
  /** Requests at once: a layer of random writes holds units of 4 KiB here and there, and each is a request of its own. */
  piecesAtOnce: 32,
  /** One request for zeros; they carry nothing. */
  zeroBytes: 16 * MiB,
  /** How much of a layer one question for its extents covers. */
  statusBytes: 1024 * MiB,
  /** A daemon that has not taken an export away by then has other troubles; the purge that waits for it says so. */
  unexportMs: 30_000,
} as const;
