import type { ServiceError } from '@grpc/grpc-js';
import { unlessAborted } from '@lateen/kernel';
import type { BeginCollecting, CallOptions } from './client.ts';
import { writeAll } from './write-all.ts';

/**
 * A stream of requests, one answer. Each request is asked for when the connection has taken the one before. An answer that
 * comes early ends the sending.
 * @throws the signal's reason on abort; what the stream of requests throws, the call is cancelled then; else what `fails` makes of the status
 */
export async function collectCall(
  begin: BeginCollecting,
  requests: AsyncIterable<unknown>,
  { signal, deadlineMs }: CallOptions,
  fails: (error: ServiceError) => unknown,
): Promise<unknown> {
  signal.throwIfAborted();
  const answered = Promise.withResolvers<unknown>();
  const over = new AbortController();
  const call = begin(deadlineMs === undefined ? {} : { deadline: deadlineMs }, (error, response) => {
    if (error === null) answered.resolve(response);
    else answered.reject(signal.aborted ? signal.reason : fails(error));
    over.abort();
  });
  // Errors come with the answer, too.
  call.on('error', () => {});
  const cancel = () => call.cancel();
  signal.addEventListener('abort', cancel, { once: true });
  try {
    await unlessAborted(sendAll(call, requests, over.signal), over.signal);
    return await answered.promise;
  } catch (error) {
    answered.promise.catch(() => {});
    call.cancel();
    throw error;
  } finally {
    signal.removeEventListener('abort', cancel);
  }
}

async function sendAll(
  call: ReturnType<BeginCollecting>,
  requests: AsyncIterable<unknown>,
  over: AbortSignal,
): Promise<void> {
  await writeAll(call, requests, over);
  call.end();
}
