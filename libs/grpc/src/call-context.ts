import type { Logger } from '@lateen/kernel';

/** What every handler gets beside its request. */
export interface CallContext {
  /** Aborts when the caller goes away, its deadline passes, or the server is forced to stop. A handler ends soon after. */
  signal: AbortSignal;
  /** Bound to the method. */
  log: Logger;
  /** What the caller has sent beside its request (`headers` of connectUnix and connectTcp). */
  header(name: string): string | undefined;
}

/** A unary RPC as a promise. Throwing an `AppError` whose code is a gRPC status name sets that status. */
export type Unary<Request, Response> = (request: Request, context: CallContext) => Promise<Response>;

/**
 * An RPC that answers with a stream. The next message is asked for when the connection has taken the one before, so a slow
 * reader makes its producer wait. Throwing ends the stream with that error, after the messages before it.
 */
export type Streaming<Request, Response> = (request: Request, context: CallContext) => AsyncIterable<Response>;

/**
 * An RPC with a stream of requests and one answer. The next request is taken from the connection when it is asked for. The iteration throws the
 * signal's reason when the caller goes away before its end: what came until then is not the whole.
 */
export type Collecting<Request, Response> = (
  requests: AsyncIterable<Request>,
  context: CallContext,
) => Promise<Response>;

/** An RPC with a stream in both directions. */
export type Conversing<Request, Response> = (
  requests: AsyncIterable<Request>,
  context: CallContext,
) => AsyncIterable<Response>;
