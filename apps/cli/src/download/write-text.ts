import { orAborted } from '@lateen/kernel';
import type { TextOutput } from '../output/live-line.ts';

/** Methods of a stream that a plain output need not have: it reports when a piece is written, or that the write failed. */
export interface FlowingOutput extends Omit<TextOutput, 'write'> {
  write(text: string, onWritten?: (error?: Error | null) => void): unknown;
  once?(event: 'error', handler: (error: Error) => void): unknown;
}

/**
 * Writes UTF-8 text, one piece after the other, so that memory is bounded however slow the reader is. Returns without an error
 * when the reader has gone (`| head`). @throws any other error of the output; what `pieces` throws; the signal's reason
 */
export async function writeText(
  output: FlowingOutput,
  pieces: AsyncIterable<Uint8Array>,
  signal: AbortSignal,
): Promise<void> {
  const decoder = new TextDecoder();
  // The callback of `write` gets the same error; without a listener, the error would end the process.
  output.once?.('error', () => {});
  try {
    for await (const piece of pieces) await write(output, decoder.decode(piece, { stream: true }), signal);
    await write(output, decoder.decode(), signal);
  } catch (error) {
    if (!(error instanceof Error && 'code' in error && error.code === 'EPIPE')) throw error;
  }
}

async function write(output: FlowingOutput, text: string, signal: AbortSignal): Promise<void> {
  if (text === '') return;
  if (output.once === undefined) {
    output.write(text);
    return;
  }
  signal.throwIfAborted();
  const written = Promise.withResolvers<void>();
  output.write(text, (error) => (error ? written.reject(error) : written.resolve()));
  await orAborted(written.promise, signal);
}

/** Encodes our texts for `writeText`. */
export async function* encoded(texts: AsyncIterable<string> | Iterable<string>): AsyncGenerator<Uint8Array> {
  const encoder = new TextEncoder();
  for await (const text of texts) yield encoder.encode(text);
}
