import type { Logger } from '@lateen/kernel';

/** What every handler gets beside its request. */
export interface CallContext {
  /** Aborts when the caller goes away, its deadline passes, or the server is forced to stop. */
  signal: AbortSignal;
  /** Bound to the method. */
  log: Logger;
}

/** A unary RPC as a promise. Throwing an `AppError` whose code is a gRPC status name sets that status. */
export type Unary<Request, Response> = (request: Request, context: CallContext) => Promise<Response>;
