import type { ClientWritableStream, ServiceError } from '@grpc/grpc-js';
import { followSignals, orAborted, settledOrAborted, unlessAborted } from '@lateen/kernel';
import type { BeginCollecting, CallOptions } from './client.ts';
import { writeAll } from './write-all.ts';

/**
 * Written in place of a request, it is a message that no server can read, so the call fails there. Cancelling is not enough: Node ends a stream
 * that it closes, so the frame that says "these were all requests" often arrives before the one that says "cancelled".
 */
const brokenOff = Symbol('the requests end before they are complete');

/** No field and no type of protobuf, and no JSON. */
const unreadable = Buffer.from([0x07]);

/** Bytes of requests, and of {@link brokenOff}. */
export const writing =
  (serialize: (request: unknown) => Buffer) =>
  (request: unknown): Buffer =>
    request === brokenOff ? unreadable : serialize(request);

/**
 * A stream of requests, one answer. Each request is asked for when the connection has taken the one before. An answer that
 * comes early ends the sending. Where requests fail to come, or on abort, the server reads a message that makes the call fail: a part is never
 * taken for the whole.
 * @throws the signal's reason on abort; what the stream of requests throws; else what `fails` makes of the status
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
    else answered.reject(fails(error));
    over.abort();
  });
  // Errors come with the answer, too.
  call.on('error', () => {});
  const either = followSignals(over.signal, signal);
  const sent = unlessAborted(sendAll(call, requests, either.signal), over.signal);
  try {
    await orAborted(sent, signal);
    return await orAborted(answered.promise, signal);
  } catch (error) {
    answered.promise.catch(() => {});
    void breakOff(call, over.signal);
    throw error;
  } finally {
    either.release();
  }
}

/** Cancels a call when its connection has taken the message that fails it, which a server that does not read holds up. Never rejects. */
async function breakOff(call: ClientWritableStream<unknown>, over: AbortSignal): Promise<void> {
  if (!call.writableEnded) {
    const told = Promise.withResolvers<void>();
    call.write(brokenOff, () => told.resolve());
    await settledOrAborted(told.promise, over);
  }
  call.cancel();
}

async function sendAll(
  call: ReturnType<BeginCollecting>,
  requests: AsyncIterable<unknown>,
  over: AbortSignal,
): Promise<void> {
  await writeAll(call, requests, over);
  call.end();
}
