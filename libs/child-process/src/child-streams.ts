import type { Readable, Writable } from 'node:stream';
import { unlessAborted } from '@lateen/kernel';

/**
 * Writes a source to a child's standard input as fast as the child reads, one chunk at a time, and closes it at the
 * source's end. Ends early, with the input left open, when `stop` aborts or the child takes no more. The source is told
 * to release what it holds (`return`) in each case. Rejects with the source's error only.
 */
export async function feed(stdin: Writable, source: AsyncIterable<Uint8Array>, stop: AbortSignal): Promise<void> {
  const iterator = source[Symbol.asyncIterator]();
  for (;;) {
    const next = await unlessAborted(iterator.next(), stop);
    if (next?.done) {
      stdin.end();
      return;
    }
    if (next === undefined || !(await written(stdin, next.value, stop))) break;
  }
  // Not waited for: a source in the middle of a read that hangs must not keep a dead child's run open.
  iterator.return?.().catch(() => {});
}

/**
 * Hands each piece of a child's standard output to `consume` and takes the next when it is done. When `stop` aborts, the
 * stream is dropped. Rejects with the error of `consume`.
 */
export async function drain(
  stdout: Readable,
  consume: (chunk: Buffer) => void | Promise<void>,
  stop: AbortSignal,
): Promise<void> {
  try {
    const iterator: AsyncIterator<Buffer> = stdout[Symbol.asyncIterator]();
    for (;;) {
      const next = await unlessAborted(iterator.next(), stop);
      if (next === undefined || next.done) return;
      const consumed = await unlessAborted(
        Promise.resolve(consume(next.value)).then(() => true),
        stop,
      );
      if (consumed === undefined) return;
    }
  } finally {
    // Also for `close` of the child, which waits for its streams.
    stdout.destroy();
  }
}

/** Resolves to false when the child no longer reads: its exit reports how it ended, not a broken pipe. */
async function written(stdin: Writable, chunk: Uint8Array, stop: AbortSignal): Promise<boolean> {
  const write = new Promise<boolean>((resolve) => stdin.write(chunk, (error) => resolve(!error)));
  return (await unlessAborted(write, stop)) === true;
}
