import { once } from 'node:events';
import type { Writable } from 'node:stream';

/** Writes each message as soon as the connection has taken the one before. Ends the iterator in every case. */
export async function writeAll(to: Writable, messages: AsyncIterable<unknown>, signal: AbortSignal): Promise<void> {
  for await (const message of messages) {
    signal.throwIfAborted();
    if (!to.write(message)) await drained(to, signal);
  }
  signal.throwIfAborted();
}

async function drained(to: Writable, signal: AbortSignal): Promise<void> {
  try {
    await once(to, 'drain', { signal });
  } catch (error) {
    signal.throwIfAborted();
    throw error;
  }
}
