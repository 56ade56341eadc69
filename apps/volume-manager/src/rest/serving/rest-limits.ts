/** Limits of one server. A manager shares its memory with the controllers of its node. */
export const restLimits = {
  /** The largest real body, a node with all its disks, is a few KiB. */
  bodyBytesMax: 1024 * 1024,
  /** Requests that are handled in parallel. */
  requestsMax: 32,
  /** Requests that wait to be handled; further ones are told to retry. */
  waitingMax: 256,
  /** Streams included; each costs a few KiB of buffers. */
  connectionsMax: 1024,
  /** Time limit for a request to arrive completely. */
  arrivalMs: 30_000,
  /** Time limit from a request's arrival to its answer. Actions that wait for something time out earlier. */
  requestMs: 60_000,
  /** Between two requests on one connection. */
  idleMs: 75_000,
  /** A name of Kubernetes has at most 253 characters; escaped they may be three each. */
  nameLengthMax: 3 * 253,
} as const;
