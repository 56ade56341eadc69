import type { StatusLink } from '@lateen/block-engine';
import type { BlockSink } from '@lateen/block-store';
import { AppError } from '@lateen/errors';
import { eachAtOnce, orAborted } from '@lateen/kernel';
import { chainRuns } from '@lateen/replica-store';

export interface CloneCall {
  readonly signal: AbortSignal;
  /** The volume reads as zeros, except for what an earlier try with this very snapshot has written: only its data are written. */
  readonly isNew: boolean;
  onProgress?(progress: { readonly doneBytes: bigint; readonly totalBytes: bigint }): void;
}

/** What an engine takes well at once; several of them are under way, so that reads and writes do not wait for each other. */
const pieceBytesMax = 2 * 1024 * 1024;
const piecesAtOnce = 4;

/** A piece of the volume: read from the snapshot, or zeros. */
interface Piece {
  readonly at: bigint;
  readonly lengthBytes: number;
  readonly isZero: boolean;
}

/**
 * Makes the volume read as the snapshot, and as zeros behind its end; flushed when it resolves. Areas that were never written, trimmed
 * ones and zeros are not read. Safe to repeat, whatever an earlier try has left.
 * @throws AppError `BLOCK_SINK_SMALL`; errors of link and sink; the signal's reason
 */
export async function cloneSnapshot(link: StatusLink, sink: BlockSink, o: CloneCall): Promise<void> {
  if (sink.sizeBytes < link.sizeBytes)
    throw new AppError('BLOCK_SINK_SMALL', `a snapshot of ${link.sizeBytes} bytes, a volume of ${sink.sizeBytes}`, {
      retry: 'never',
      nextStep: `Clone it to a volume of at least ${link.sizeBytes} bytes.`,
    });
  let totalBytes = 0n;
  for await (const { lengthBytes } of wantedPieces(link, sink, o)) totalBytes += BigInt(lengthBytes);
  let doneBytes = 0n;
  o.onProgress?.({ doneBytes, totalBytes });
  await eachAtOnce(wantedPieces(link, sink, o), piecesAtOnce, async ({ at, lengthBytes, isZero }) => {
    o.signal.throwIfAborted();
    if (isZero) await orAborted(sink.zero(at, lengthBytes, { unmap: true }), o.signal);
    else await orAborted(sink.write(at, await orAborted(link.read(at, lengthBytes), o.signal)), o.signal);
    doneBytes += BigInt(lengthBytes);
    o.onProgress?.({ doneBytes, totalBytes });
  });
  await orAborted(sink.flush(), o.signal);
}

/** Ascending. A snapshot does not change, so it is the same whenever it is asked. */
async function* wantedPieces(
  link: StatusLink,
  sink: BlockSink,
  { isNew, signal }: CloneCall,
): AsyncGenerator<Piece, void, undefined> {
  for await (const { depth, isZero, at, lengthBytes } of chainRuns(link, signal)) {
    const hasData = depth > 0 && !isZero;
    if (hasData || !isNew) yield* pieces(at, at + BigInt(lengthBytes), !hasData);
  }
  if (!isNew) yield* pieces(link.sizeBytes, sink.sizeBytes, true);
}

function* pieces(start: bigint, end: bigint, isZero: boolean): Generator<Piece, void, undefined> {
  for (let at = start; at < end; at += BigInt(pieceBytesMax)) {
    const left = end - at;
    yield { at, lengthBytes: left < BigInt(pieceBytesMax) ? Number(left) : pieceBytesMax, isZero };
  }
}
