import { Writable } from 'node:stream';
import { orAborted } from '@lateen/kernel';
import type { TextOutput } from '../output/live-line.ts';

/**
 * Writes UTF-8 text, one piece after the other, so that memory is bounded however slow the reader is. The program ends when the reader of
 * its output has gone (`main.ts`). @throws an error of the output; what `pieces` throws; the signal's reason
 */
export async function writeText(
  output: TextOutput,
  pieces: AsyncIterable<Uint8Array>,
  signal: AbortSignal,
): Promise<void> {
  const decoder = new TextDecoder();
  for await (const piece of pieces) await write(output, decoder.decode(piece, { stream: true }), signal);
  await write(output, decoder.decode(), signal);
}

/** Only a stream reports when a piece is written, or that the write failed. */
async function write(output: TextOutput, text: string, signal: AbortSignal): Promise<void> {
  if (text === '') return;
  if (!(output instanceof Writable)) {
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
