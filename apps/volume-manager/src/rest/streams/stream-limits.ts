/** Limits of streams. */
export const streamLimits = {
  /** A page of the web interface has about ten; each client costs one connection and, while it is written to, a reference to a shared message. */
  streamsMax: 256,
  /** Minimum time between two messages of one stream, also without a period in the path: a burst of changes becomes one message. */
  gapMs: 100,
  /** A body is reused for so many times the duration of making it: so making bodies uses at most a twentieth of a CPU for each collection. */
  restFactor: 20,
  /** As in Longhorn. */
  periodMsMax: 15_000,
  pingMs: 15_000,
  /** A client that has not accepted a message in this time is disconnected. */
  writeMs: 10_000,
  /** Limit of what a client sends, which is not read. */
  framesBytesMax: 4 * 1024,
  /** Bodies kept for the next client: for each collection one for each address through which clients connect. */
  bodiesMax: 64,
} as const;
