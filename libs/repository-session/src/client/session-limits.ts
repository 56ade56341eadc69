/** Bounds of one session. Times are in ms. */
export const sessionLimits = {
  /** kopia's own limit of a message (repo/grpc_repository_client.go); contents are at most 8 MiB. */
  messageBytesMax: 20 * 1024 * 1024,
  /** Bytes of answers that the server may send before they are read: contents come in one piece. */
  windowBytes: 1024 * 1024,
  /** Requests that are sent and not answered; others wait. */
  inFlightMax: 8,
  /** Requests that may wait for a place. */
  waitingMax: 1024,
  /** Manifests in one answer to `findManifests`. */
  manifestsMax: 100_000,
  /** Manifests in one part of such an answer. */
  manifestsPage: 1_000,
  /** From the start of the server to its listening, and from there to an open repository, which takes a few requests to the store. */
  repositoryMs: 120_000,
  /** From connecting to the server's first answer. */
  openMs: 30_000,
  /** For one request. The server tries the store again by itself, for up to some minutes. */
  requestMs: 10 * 60_000,
  /** How long a lost connection waits to learn how the server ended, for its message. */
  endedMs: 2_000,
} as const;
