import { orAborted } from '@lateen/kernel';
import type { TextOutput } from '../output/live-line.ts';

/** What a stream can do and a plain output need not: say when a piece is written, or that it failed. */
export interface FlowingOutput extends Omit<TextOutput, 'write'> {
  write(text: string, onWritten?: (error?: Error | null) => void): unknown;
  once?(event: 'error', handler: (error: Error) => void): unknown;
}

/**
 * Writes UTF-8 as it comes, one piece after the other, so that memory is bounded however slow the reader is. Ends quietly
 * when the reader has gone (`| head`). @throws what the output fails with otherwise; what `pieces` throws; the signal's reason
 */
export async function writeText(
  output: FlowingOutput,
  pieces: AsyncIterable<Uint8Array>,
  signal: AbortSignal,
): Promise<void> {
  const decoder = new TextDecoder();
  // The same error comes to the callback of `write`; without a listener it would end the process.
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

/** Texts of ours as `writeText` takes them. */
export async function* encoded(texts: AsyncIterable<string> | Iterable<string>): AsyncGenerator<Uint8Array> {
  const encoder = new TextEncoder();
  for await (const text of texts) yield encoder.encode(text);
}
