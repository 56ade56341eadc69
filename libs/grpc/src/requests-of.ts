import { setImmediate } from 'node:timers/promises';
import type { ServerReadableStream } from '@grpc/grpc-js';

/** What a caller sends, as it is asked for. Throws the signal's reason when that aborts, also where the connection would just be silent. */
export async function* requestsOf(
  call: ServerReadableStream<unknown, unknown>,
  signal: AbortSignal,
): AsyncGenerator<unknown, void, undefined> {
  const stop = () => call.destroy(signal.reason as Error);
  signal.addEventListener('abort', stop, { once: true });
  try {
    yield* call;
    // Of a call that its caller breaks off, grpc-js (1.14) first tells the end of the stream, and that it was cancelled a moment later.
    await setImmediate();
    signal.throwIfAborted();
  } catch (error) {
    throw signal.aborted ? signal.reason : error;
  } finally {
    signal.removeEventListener('abort', stop);
  }
}
