import { AppError } from '@lateen/errors';
import type { BlockSource } from './block-source.ts';

/** Which blocks have changed, one bit each: 64 KiB for a volume of 1 TiB in blocks of 2 MiB. */
export interface ChangedBlocks {
  readonly count: number;
  /** Ascending. */
  offsets(): Iterable<number>;
}

/** @throws BLOCK_SIZE_UNFIT for a volume that is not whole blocks; RangeError for areas outside of it */
export async function changedBlocks(
  source: BlockSource,
  { since, blockBytes, signal }: { since: string | undefined; blockBytes: number; signal: AbortSignal },
): Promise<ChangedBlocks> {
  const blocks = blocksOf(source.sizeBytes, blockBytes);
  const bits = new Uint8Array(Math.ceil(blocks / 8));
  const bytesOfBlock = BigInt(blockBytes);
  let count = 0;
  for await (const { startBytes, lengthBytes } of source.changed(since)) {
    signal.throwIfAborted();
    const end = startBytes + lengthBytes;
    if (startBytes < 0n || lengthBytes < 0n || end > source.sizeBytes) {
      throw new RangeError(`${lengthBytes} bytes from ${startBytes} on are not in a volume of ${source.sizeBytes}`);
    }
    if (lengthBytes === 0n) continue;
    const last = Number((end - 1n) / bytesOfBlock);
    for (let block = Number(startBytes / bytesOfBlock); block <= last; block++) {
      const bit = 1 << (block & 7);
      const byte = bits[block >> 3] ?? 0;
      if ((byte & bit) !== 0) continue;
      bits[block >> 3] = byte | bit;
      count++;
    }
  }
  return { count, offsets: () => offsetsOf(bits, blockBytes) };
}

function blocksOf(sizeBytes: bigint, blockBytes: number): number {
  const isWhole = sizeBytes >= 0n && sizeBytes % BigInt(blockBytes) === 0n;
  if (isWhole && sizeBytes <= BigInt(Number.MAX_SAFE_INTEGER)) return Number(sizeBytes / BigInt(blockBytes));
  throw new AppError(
    'BLOCK_SIZE_UNFIT',
    `a volume of ${sizeBytes} bytes cannot be cut into blocks of ${blockBytes} bytes`,
    {
      nextStep: 'Choose a block size of which the size of the volume is a multiple.',
    },
  );
}

function* offsetsOf(bits: Uint8Array, blockBytes: number): Generator<number> {
  for (const [at, byte] of bits.entries()) {
    if (byte === 0) continue;
    for (let bit = 0; bit < 8; bit++) if ((byte & (1 << bit)) !== 0) yield (at * 8 + bit) * blockBytes;
  }
}
