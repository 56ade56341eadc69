/** What one server takes at once. A manager shares its memory with the controllers of its node. */
export const restLimits = {
  /** The largest body in use, a node with all its disks, is a few KiB. */
  bodyBytesMax: 1024 * 1024,
  /** Requests that are worked on beside each other. */
  requestsMax: 32,
  /** Requests that wait for one of those places; one more is told to come again. */
  waitingMax: 256,
  /** Streams included; each costs a few KiB of buffers. */
  connectionsMax: 1024,
  /** For a request to arrive whole. */
  arrivalMs: 30_000,
  /** From its arrival to its answer. Actions that wait for something give up before. */
  requestMs: 60_000,
  /** Between two requests on one connection. */
  idleMs: 75_000,
  /** A name of Kubernetes has at most 253 characters; escaped they may be three each. */
  nameLengthMax: 3 * 253,
} as const;
