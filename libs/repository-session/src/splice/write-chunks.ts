import { eachAtOnce } from '@lateen/kernel';
import { type ChunkLayout, chunkLength } from '@lateen/kopia-format';
import type { ServerSession } from '../client/server-session.ts';
import { sessionLimits } from '../client/session-limits.ts';

/**
 * Bytes in chunks that are read or under way to the server: two chunks of 4 MiB, one of which is read while the other is hashed. More only
 * take memory here and in the server. Smaller chunks wait for answers most of their time, so there are more of them.
 */
const bytesAtOnce = 8 * 1024 * 1024;

const atOnceOf = ({ chunkBytes }: ChunkLayout): number =>
  Math.min(sessionLimits.inFlightMax, Math.max(2, Math.floor(bytesAtOnce / chunkBytes)));

export interface WriteChunksOptions {
  layout: ChunkLayout;
  read(into: Uint8Array, offset: number, signal: AbortSignal): Promise<void>;
  /** Told how many bytes were read, once for each chunk. */
  onRead(bytes: number): void;
  signal: AbortSignal;
}

/**
 * Reads chunks of the volume, stores them, flushes, and returns their content IDs in the same order. A stage: when it has ended, the
 * chunks are stored for good. When one fails, it rejects after the others that were under way have ended.
 */
export async function writeChunks(
  session: ServerSession,
  chunks: readonly number[],
  { layout, read, onRead, signal }: WriteChunksOptions,
): Promise<string[]> {
  const ids: string[] = [];
  // A chunk is answered before its buffer is filled again; that of a chunk that failed is not used again.
  const atOnce = Math.min(atOnceOf(layout), chunks.length);
  const buffers = Array.from({ length: atOnce }, () => Buffer.allocUnsafeSlow(layout.chunkBytes));
  await eachAtOnce(chunks.entries(), atOnce, async ([index, chunk]) => {
    signal.throwIfAborted();
    // As many as there are chunks at once, so there always is one.
    const buffer = buffers.pop() ?? Buffer.allocUnsafeSlow(layout.chunkBytes);
    const data = buffer.subarray(0, chunkLength(chunk, layout));
    await read(data, chunk * layout.chunkBytes, signal);
    onRead(data.length);
    ids[index] = await session.writeContent({ prefix: '', data }, { signal });
    buffers.push(buffer);
  });
  await session.flush({ signal });
  return ids;
}

/** Chunks in their order, in groups of at most a given number of bytes, but at least one chunk. Pure. */
export function* chunkBatches(
  chunks: readonly number[],
  layout: ChunkLayout,
  batchBytes: number,
): Generator<readonly number[]> {
  const perBatch = Math.max(1, Math.floor(batchBytes / layout.chunkBytes));
  for (let at = 0; at < chunks.length; at += perBatch) yield chunks.slice(at, at + perBatch);
}
