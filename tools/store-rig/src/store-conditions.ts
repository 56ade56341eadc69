/** How far away and how good a store is. */
export interface StoreConditions {
  /** Held back at each request, and once more when a connection is made, as a handshake takes. 0 by default. */
  latencyMs?: number;
  /** Of all answers together; absent is without a limit. The first second's worth passes at once. */
  bytesPerSecond?: number;
  /** Of the answers on one connection. */
  connectionBytesPerSecond?: number;
  /** Open connections are cut, new ones as soon as they are made. */
  unreachable?: boolean;
}

/** What happens to one request instead of its answer. */
export type RequestFault =
  /** An answer of the proxy's own with this status and S3 error code. */
  | { status: number; code: string }
  /** The connection ends after so many bytes of the answer, its head included. */
  | { cutAfterBytes: number }
  /** Nothing comes until somebody gives up. */
  | { silent: true };
