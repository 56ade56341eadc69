import { eachAtOnce, orAborted } from '@lateen/kernel';
import type { BlockCodec } from '../codec/block-codec.ts';
import type { BackupMode } from '../decide/decide-base.ts';
import { HashSet } from '../decide/hash-set.ts';
import { type BlockList, BlockListBuilder } from '../format/block-list.ts';
import type { CompressionMethod } from '../format/compression-method.ts';
import { blockHash } from '../names/block-hash.ts';
import type { VolumePaths } from '../names/store-paths.ts';
import type { StoreContext } from '../store/store-context.ts';
import type { BlockSource } from './block-source.ts';
import type { ChangedBlocks } from './changed-blocks.ts';

export interface Uploaded {
  readonly blocks: BlockList;
  /** Blocks that were not there before. */
  readonly newBlocks: number;
  /** Compressed. */
  readonly newlyUploadedBytes: bigint;
  readonly reUploadedBytes: bigint;
}

export interface UploadOptions {
  readonly codec: BlockCodec;
  readonly method: CompressionMethod;
  readonly mode: BackupMode;
  readonly blockBytes: number;
  readonly workers: number;
  readonly signal: AbortSignal;
  /** After each block. */
  onBlock(uploaded: { blocks: number; bytes: bigint }): void;
}

/**
 * Reads the blocks, and stores those that the store does not have; in full mode all of them, once each. Holds one block and its compressed bytes for
 * each worker.
 */
export async function uploadBlocks(
  { store }: Pick<StoreContext, 'store'>,
  paths: VolumePaths,
  source: BlockSource,
  changed: ChangedBlocks,
  options: UploadOptions,
): Promise<Uploaded> {
  const { codec, method, mode, blockBytes, workers, signal } = options;
  const list = new BlockListBuilder();
  const sum = { newBlocks: 0, newlyUploadedBytes: 0n, reUploadedBytes: 0n };
  const buffers: Buffer[] = [];
  const stored = onceForEachHash();
  let done = 0;

  const store1 = async (hash: string, bytes: Uint8Array): Promise<void> => {
    const key = paths.block(hash);
    const isThere = await store.exists(key, { signal });
    if (isThere && mode !== 'full') return;
    const packed = await codec.compress(method, bytes);
    await store.put(key, packed, { signal });
    if (isThere) sum.reUploadedBytes += BigInt(packed.length);
    else {
      sum.newlyUploadedBytes += BigInt(packed.length);
      sum.newBlocks++;
    }
  };
  await eachAtOnce(changed.offsets(), workers, async (offset) => {
    signal.throwIfAborted();
    const buffer = buffers.pop() ?? Buffer.allocUnsafeSlow(blockBytes);
    await orAborted(source.read(BigInt(offset), buffer), signal);
    const hash = blockHash(buffer);
    await stored(hash, () => store1(hash, buffer));
    list.add(offset, hash);
    buffers.push(buffer);
    done++;
    options.onBlock({ blocks: done, bytes: sum.newlyUploadedBytes + sum.reUploadedBytes });
  });
  return { ...sum, blocks: list.build() };
}

/** Equal blocks of one backup are stored once, even when two workers have them at the same time. */
function onceForEachHash(): (hash: string, act: () => Promise<void>) => Promise<void> {
  const done = new HashSet();
  const underWay = new Map<string, Promise<void>>();
  return async (hash, act) => {
    const raw = Buffer.from(hash, 'hex');
    if (done.has(raw)) return;
    const other = underWay.get(hash);
    if (other !== undefined) return await other;
    const own = act();
    underWay.set(hash, own);
    try {
      await own;
      done.add(raw);
    } finally {
      underWay.delete(hash);
    }
  };
}
