import type { BlockTarget, StatusLink } from '@lateen/block-engine';
import { replicaLimits } from '../limits.ts';
import { LayerSum } from './layer-sum.ts';
import { type LayerPiece, type ReadPace, readChain, readLayer } from './read-layer.ts';

const { piecesAtOnce, bytesAtOnce } = replicaLimits;

export interface CopyPace extends ReadPace {
  onProgress?(copiedBytes: number): void;
}

/** The sum of a layer that is exported alone. */
export const sumLayer = (link: StatusLink, o: ReadPace): Promise<string> => sumOfPieces(readLayer(link, o));

/** The sum of what an export of a chain reads as. */
export const sumChain = (link: StatusLink, o: ReadPace): Promise<string> => sumOfPieces(readChain(link, o));

async function sumOfPieces(pieces: AsyncIterable<LayerPiece>): Promise<string> {
  const sum = new LayerSum();
  for await (const { at, lengthBytes, data } of pieces) {
    if (data === undefined) sum.zeros(at, BigInt(lengthBytes));
    else sum.data(at, Buffer.concat(data));
  }
  return sum.hex();
}

/**
 * Copies the contents of one layer into an empty one; written zeros are copied as zeros, because they hide the layers below. When it resolves,
 * the target is flushed; returns the checksum of what was read. After an error the target holds a part of the contents.
 */
export async function copyLayer(source: StatusLink, target: BlockTarget, o: CopyPace): Promise<string> {
  const sum = new LayerSum();
  const writing = new Set<Promise<void>>();
  let writingBytes = 0;
  let failure: { error: unknown } | undefined;
  let copiedBytes = 0;
  try {
    for await (const { at, lengthBytes, data } of readLayer(source, o)) {
      const bytes = data === undefined ? 0 : lengthBytes;
      if (data === undefined) sum.zeros(at, BigInt(lengthBytes));
      else sum.data(at, Buffer.concat(data));
      while (writing.size >= piecesAtOnce || (writing.size > 0 && writingBytes + bytes > bytesAtOnce))
        await Promise.race(writing);
      writingBytes += bytes;
      const write: Promise<void> = (
        data === undefined ? target.zero(at, lengthBytes, { unmap: true }) : target.write(at, data)
      )
        .catch((error: unknown) => {
          failure ??= { error };
        })
        .finally(() => {
          writing.delete(write);
          writingBytes -= bytes;
        });
      writing.add(write);
      if (failure !== undefined) throw failure.error;
      copiedBytes += lengthBytes;
      o.onProgress?.(copiedBytes);
    }
  } finally {
    await Promise.all(writing);
  }
  if (failure !== undefined) throw failure.error;
  await target.flush();
  return sum.hex();
}
