import type { ServiceError } from '@grpc/grpc-js';
import type { Begin, CallOptions } from './client.ts';

/**
 * One request, a stream of answers. The call begins with the first message asked for; messages are taken from the connection as
 * they are requested. A caller that stops requesting ends the call.
 * @throws the signal's reason on abort, at once; else what `fails` makes of the status, after the messages before it
 */
export async function* streamCall(
  begin: Begin,
  request: unknown,
  { signal, deadlineMs }: CallOptions,
  fails: (error: ServiceError) => unknown,
): AsyncGenerator<unknown, void, undefined> {
  signal.throwIfAborted();
  const running = begin(request, deadlineMs === undefined ? {} : { deadline: deadlineMs });
  // The status of a call that we end ourselves comes when the stream is no longer read.
  running.on('error', () => {});
  const cancel = () => {
    running.destroy(signal.reason as Error);
    // For a reader that is not here at the moment and may never come back.
    running.cancel();
  };
  signal.addEventListener('abort', cancel, { once: true });
  try {
    for await (const message of running) {
      signal.throwIfAborted();
      yield message;
    }
    signal.throwIfAborted();
  } catch (error) {
    throw signal.aborted ? signal.reason : fails(error as ServiceError);
  } finally {
    signal.removeEventListener('abort', cancel);
    running.cancel();
  }
}
