import { AppError } from '@lateen/errors';
import { type Clock, durationText, orAborted } from '@lateen/kernel';
import type { WebSocket } from 'ws';
import type { SharedBodies } from './shared-bodies.ts';
import { streamLimits } from './stream-limits.ts';
import type { StreamPath } from './stream-path.ts';

export interface StreamOptions extends StreamPath {
  readonly socket: WebSocket;
  readonly bodies: SharedBodies;
  /** The prefix of links. */
  readonly base: string;
  readonly clock: Clock;
  /** Ends the stream when the server stops. */
  readonly signal: AbortSignal;
}

/**
 * Sends a collection at once and again whenever it differs from what was sent last, until the client disconnects or `signal` aborts. At most one
 * message is in flight: a slow client gets the newest state next, and nothing is buffered for it. @throws STREAM_STUCK when it accepts nothing for
 * ten seconds
 */
export async function runStream(options: StreamOptions): Promise<void> {
  const { socket, bodies, base, clock, collection } = options;
  const gone = new AbortController();
  const end = () => gone.abort(new AppError('STREAM_ENDED', 'the client has gone'));
  socket.once('close', end);
  // An error event is followed by a close event.
  socket.on('error', end);
  const signal = AbortSignal.any([options.signal, gone.signal]);
  const leave = bodies.follow(collection);
  const gapMs = Math.max(options.periodMs, streamLimits.gapMs);
  try {
    const pings = keepAlive(socket, clock, signal);
    let sent = '';
    while (!signal.aborted) {
      const { version, bytes, digest } = bodies.body(collection, base);
      if (digest !== sent) await send(socket, bytes, clock, signal);
      sent = digest;
      await clock.sleep(gapMs, signal);
      await bodies.changed(collection, version, signal);
    }
    await pings;
  } catch (error) {
    if (!signal.aborted) throw error;
  } finally {
    gone.abort();
    leave();
    socket.terminate();
  }
}

/** Resolves when the kernel has accepted the message. */
async function send(socket: WebSocket, bytes: Buffer, clock: Clock, signal: AbortSignal): Promise<void> {
  const { promise, resolve, reject } = Promise.withResolvers<void>();
  socket.send(bytes, { binary: false }, (error) => (error === undefined || error === null ? resolve() : reject(error)));
  const deadline = clock.deadline(streamLimits.writeMs);
  try {
    await orAborted(promise, AbortSignal.any([signal, deadline]));
  } catch (cause) {
    if (!deadline.aborted || signal.aborted) throw cause;
    throw new AppError('STREAM_STUCK', `the client took no message for ${durationText(streamLimits.writeMs)}`, {
      cause,
    });
  }
}

/** Disconnects a client that does not answer a ping before the next one. */
async function keepAlive(socket: WebSocket, clock: Clock, signal: AbortSignal): Promise<void> {
  let answered = true;
  socket.on('pong', () => {
    answered = true;
  });
  while (!signal.aborted) {
    if (!answered) return socket.terminate();
    answered = false;
    socket.ping();
    await clock.sleep(streamLimits.pingMs, signal).catch(() => {});
  }
}
