import type { StatusLink } from '@lateen/block-engine';
import type { Clock } from '@lateen/kernel';
import type { Call } from '../call.ts';
import { replicaLimits } from '../limits.ts';
import { chainRuns, type LayerRun, layerRuns } from './layer-runs.ts';

export interface LayerPiece {
  readonly at: bigint;
  readonly lengthBytes: number;
  /** Undefined for zeros. */
  readonly data: readonly Uint8Array[] | undefined;
}

export interface ReadPace extends Call {
  readonly clock: Clock;
  /** Limit for reading data; absent: no limit. */
  readonly bytesPerSecondMax?: number;
}

/**
 * What a layer holds, in order: data in pieces of at most 2 MiB, of which at most 8 MiB in 32 requests are read at once; zeros in
 * runs as long as a request may be. Rejects with the link's errors. A caller that stops early waits for the reads that are under
 * way.
 */
export const readLayer = (link: StatusLink, o: ReadPace): AsyncGenerator<LayerPiece> =>
  readRuns(link, layerRuns(link, o.signal), o);

/**
 * What an export reads as, like {@link readLayer}, without gaps: areas that no layer holds are reported as zeros. The result is
 * the same for replicas that hold the same data in different layers.
 */
export const readChain = (link: StatusLink, o: ReadPace): AsyncGenerator<LayerPiece> =>
  readRuns(link, contentRuns(link, o.signal), o);

async function* contentRuns(link: StatusLink, signal: AbortSignal): AsyncGenerator<LayerRun> {
  for await (const { depth, isZero, at, lengthBytes } of chainRuns(link, signal))
    yield { kind: isZero || depth === 0 ? 'zero' : 'data', at, lengthBytes };
}

async function* readRuns(link: StatusLink, runs: AsyncIterable<LayerRun>, o: ReadPace): AsyncGenerator<LayerPiece> {
  const coming: { readonly bytes: number; readonly piece: Promise<LayerPiece> }[] = [];
  let comingBytes = 0;
  const mayWait = (bytes: number) =>
    coming.length < replicaLimits.piecesAtOnce && comingBytes + bytes <= replicaLimits.bytesAtOnce;
  try {
    for await (const piece of piecesOf(runs)) {
      const bytes = bytesOf(piece);
      for (let first = coming[0]; first !== undefined && !mayWait(bytes); first = coming[0]) {
        yield await first.piece;
        coming.shift();
        comingBytes -= first.bytes;
      }
      if (bytes > 0) await paced(bytes, o);
      const read = fetched(link, piece);
      // The consumer sees the rejection when it reaches this piece.
      read.catch(() => {});
      coming.push({ bytes, piece: read });
      comingBytes += bytes;
    }
    for (const { piece } of coming) yield await piece;
  } finally {
    await Promise.allSettled(coming.map(({ piece }) => piece));
  }
}

/** Bytes of memory that the piece takes. */
const bytesOf = ({ kind, lengthBytes }: LayerRun): number => (kind === 'data' ? lengthBytes : 0);

async function fetched(link: StatusLink, { kind, at, lengthBytes }: LayerRun): Promise<LayerPiece> {
  return { at, lengthBytes, data: kind === 'zero' ? undefined : await link.read(at, lengthBytes) };
}

async function* piecesOf(runs: AsyncIterable<LayerRun>): AsyncGenerator<LayerRun> {
  for await (const run of runs) {
    const pieceBytes = run.kind === 'zero' ? replicaLimits.zeroBytes : replicaLimits.pieceBytes;
    for (let offset = 0; offset < run.lengthBytes; offset += pieceBytes) {
      const lengthBytes = Math.min(pieceBytes, run.lengthBytes - offset);
      yield { kind: run.kind, at: run.at + BigInt(offset), lengthBytes };
    }
  }
}

/** Waits as long as these bytes take at the allowed rate; the largest burst is one piece. */
async function paced(bytes: number, { bytesPerSecondMax, clock, signal }: ReadPace): Promise<void> {
  if (bytesPerSecondMax !== undefined) await clock.sleep((bytes * 1_000) / bytesPerSecondMax, signal);
}
