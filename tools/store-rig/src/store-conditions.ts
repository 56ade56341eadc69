/** Latency, rates and availability of a store. */
export interface StoreConditions {
  /** Delay of each request, and of each new connection, like a handshake. Default: 0. */
  latencyMs?: number;
  /** Rate of all answers together; absent: unlimited. The first second's worth passes immediately. */
  bytesPerSecond?: number;
  /** Rate of the answers on one connection. */
  connectionBytesPerSecond?: number;
  /** Cuts open connections, and new ones as soon as they are opened. */
  unreachable?: boolean;
}

/** A fault of one request that replaces its answer. */
export type RequestFault =
  /** The proxy itself answers with this status and S3 error code. */
  | { status: number; code: string }
  /** Cuts the connection after that many bytes of the answer, its head included. */
  | { cutAfterBytes: number }
  /** Never answers. */
  | { silent: true };
