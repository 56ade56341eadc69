import { AppError, isAppError } from '@lateen/errors';
import { retry } from '@lateen/kernel';
import { type BlockCodec, CodecError, storedBytesMax } from '../codec/block-codec.ts';
import type { CompressionMethod } from '../format/compression-method.ts';
import { blockHash } from '../names/block-hash.ts';
import type { VolumePaths } from '../names/store-paths.ts';
import { readBounded } from '../store/read-bounded.ts';
import type { StoreContext } from '../store/store-context.ts';

/** A store that is down for minutes does not end a restore of hours. */
const readRetriesMs = [1_000, 5_000, 30_000, 60_000, 120_000, 300_000] as const;

export interface BlockWanted {
  readonly hash: string;
  readonly method: CompressionMethod;
  readonly blockBytes: number;
}

/**
 * The bytes of a block, checked against their hash.
 * @throws BLOCK_MISSING, BLOCK_DAMAGED: neither is retried; what the store throws, after its retries
 */
export async function fetchBlock(
  { store, clock, random, log }: StoreContext,
  codec: BlockCodec,
  paths: VolumePaths,
  { hash, method, blockBytes }: BlockWanted,
  signal: AbortSignal,
): Promise<Uint8Array> {
  const key = paths.block(hash);
  let failures = 0;
  const policy = {
    backoff: { firstMs: 0, maxMs: 0, factor: 1, jitter: 0 },
    attemptsMax: readRetriesMs.length + 1,
    mayRetry: (error: unknown) => !isAppError(error) || error.retry !== 'never',
    askedMs: () => readRetriesMs[failures++],
    onRetry: ({ error: err, waitMs }: { error: unknown; waitMs: number }) =>
      log.warn({ err, key, waitMs }, 'a block could not be read and is tried again'),
  };
  const read = () => readBounded(store, key, storedBytesMax(blockBytes), signal);
  const stored = await retry({ clock, random }, policy, read, signal).catch((error: unknown) => {
    if (isAppError(error, 'OBJECT_NOT_FOUND')) throw missing(key, error);
    throw error;
  });
  if (stored === 'too-large') throw damaged(key, 'it is larger than a block can be');
  const bytes = await codec.decompress(method, stored, blockBytes).catch((error: unknown) => {
    throw error instanceof CodecError ? damaged(key, error.message, error) : error;
  });
  if (bytes.length !== blockBytes) throw damaged(key, `it holds ${bytes.length} bytes and not ${blockBytes}`);
  if (blockHash(bytes) !== hash) throw damaged(key, 'its bytes are not those of its name');
  return bytes;
}

const nextStep =
  'Restore a backup that does not need this block. A full backup of the volume stores the block again, if the volume still has it.';

const missing = (key: string, cause: unknown): AppError =>
  new AppError('BLOCK_MISSING', `${cannotBeRestored} ${key} is not in the backup store`, {
    nextStep,
    cause,
    details: { key },
  });

const damaged = (key: string, why: string, cause?: unknown): AppError =>
  new AppError('BLOCK_DAMAGED', `${cannotBeRestored} ${key} in the backup store is damaged: ${why}`, {
    nextStep,
    cause,
    details: { key },
  });

const cannotBeRestored = 'the backup cannot be restored:';
