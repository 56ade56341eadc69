const KiB = 1024;
const MiB = 1024 * KiB;

/** All limits of a replica in one place. */
export const replicaLimits = {
  /** Calls that wait for their turn on one replica. */
  waitingMax: 64,
  /** A disk is low below this part of it ... */
  lowPart: 0.01,
  /** ... or below this, whichever is larger: an overlay with its tables and the record still fit. */
  lowBytes: 64 * MiB,
  /** Heads and copies are written in these units: the sub-clusters of the images. */
  unitBytes: 4 * KiB,
  clusterBytes: 128 * KiB,
  /**
   * For each open layer: qemu's own default for a large disk is 32 MiB, and there are up to 250 layers. Idle tables are freed.
   */
  tableCache: { tableCacheBytes: MiB, tableCacheIdleSeconds: 60 },
  /** One request of a copy or of a sum ... */
  pieceBytes: 2 * MiB,
  /** ... and the bytes in flight, for each layer that is copied (read, and written again) or summed. */
  bytesAtOnce: 8 * MiB,
  /** Requests in flight: a layer of random writes holds scattered units of 4 KiB, and each is a request of its own. */
  piecesAtOnce: 32,
  /** Length of one request for zeros; such a request carries no data. */
  zeroBytes: 16 * MiB,
  /** How much of a layer one request for its extents covers. */
  statusBytes: 1024 * MiB,
  /** If a daemon has not removed an export by then, something else is wrong with it; the waiting purge reports that. */
  unexportMs: 30_000,
} as const;
