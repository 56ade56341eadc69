/** What streams may take. */
export const streamLimits = {
  /** A page of the web interface has about ten; each client costs one connection and, while it is written to, one share of a message. */
  streamsMax: 256,
  /** Between two messages of one stream, also without a period in the path: a burst of changes becomes one message. */
  gapMs: 100,
  /** A body that took a while to make is told again for so many times that: making bodies takes at most a twentieth of a processor for each collection. */
  restFactor: 20,
  /** As in Longhorn. */
  periodMsMax: 15_000,
  pingMs: 15_000,
  /** A client that has not taken a message in this time is cut off. */
  writeMs: 10_000,
  /** What clients send is not read. */
  framesBytesMax: 4 * 1024,
  /** Bodies that are kept for the next client: of a collection one for each address that clients come in by. */
  bodiesMax: 64,
} as const;
