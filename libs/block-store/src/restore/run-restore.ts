import type { BlockTarget } from '@lateen/block-engine';
import { AppError, isAppError } from '@lateen/errors';
import { eachAtOnce, orAborted } from '@lateen/kernel';
import { checkWorkers, workersDefault } from '../backup/backup-plan.ts';
import type { BlockCodec } from '../codec/block-codec.ts';
import { blockBytesOf, isInProgress, type StoredBackup } from '../format/backup-config.ts';
import { damagedFile } from '../format/damaged-file.ts';
import type { HeldLock } from '../lock/keep-lock.ts';
import { withLock } from '../lock/with-lock.ts';
import { blockHash } from '../names/block-hash.ts';
import { readBackup } from '../store/read-configs.ts';
import type { Call, StoreContext } from '../store/store-context.ts';
import { fetchBlock } from './fetch-block.ts';
import { countSteps, type RestoreStep, restoreSteps, type SinkHolds } from './restore-steps.ts';

/** The target of a restore. Several writes run at a time, to different areas. */
export type BlockSink = Pick<BlockTarget, 'sizeBytes' | 'write' | 'zero' | 'flush'>;

export interface RestoreProgress {
  readonly percent: number;
  readonly doneBytes: bigint;
  readonly totalBytes: bigint;
}

export interface RestoreCall extends Call {
  /** The backup that the volume holds, and nothing else: only the differences to it are written. */
  readonly since?: string | undefined;
  /** Another backup whose restore was begun afterwards and has not ended: the volume holds blocks of both. */
  readonly begun?: string | undefined;
  /** The volume is new and reads as zeros. If neither this nor `since` is set, every byte of it is written. */
  readonly isNew?: boolean | undefined;
  /** Blocks processed in parallel; 2 when absent. */
  readonly workers?: number | undefined;
  onProgress?(progress: RestoreProgress): void;
}

export interface RestoreResult {
  /** Why everything was written although `since` was given. */
  readonly full: 'that backup cannot be used' | 'that backup has blocks of another size' | undefined;
  readonly writtenBytes: bigint;
  readonly zeroedBytes: bigint;
}

interface Deps {
  context: StoreContext;
  codec: BlockCodec;
}

/**
 * Makes the sink hold the backup. Safe to repeat with the same backup and options, whatever came of an earlier try; with another
 * backup, `begun` names the one of the earlier try.
 * @throws BLOCK_BACKUP_NOT_FOUND, BLOCK_BACKUP_IN_PROGRESS, BLOCK_STORE_FILE, BLOCK_SINK_SMALL, BLOCK_MISSING, BLOCK_DAMAGED,
 *   BLOCK_STORE_LOCKED, BLOCK_STORE_LOCK_LOST, what store and sink throw
 */
export async function runRestore(
  { context, codec }: Deps,
  { volume, backup }: { volume: string; backup: string },
  sink: BlockSink,
  call: RestoreCall,
): Promise<RestoreResult> {
  const { signal, workers = workersDefault, onProgress = () => {} } = call;
  checkWorkers(workers);
  return await withLock(context, volume, { purpose: 'backup create/restore', signal }, async (held) => {
    const wanted = await usableBackup(context, volume, backup, held.signal);
    const blockBytes = sizeOfBlocks(context, wanted, sink);
    const { holds, full } = await holdsOf(context, volume, blockBytes, call, held.signal);
    const area = { sizeBytes: Number(sink.sizeBytes), blockBytes };
    const total = countSteps(restoreSteps(wanted.blocks, holds, area));
    const totalBytes = BigInt(total) * BigInt(blockBytes);
    const sum = { writtenBytes: 0n, zeroedBytes: 0n };
    const writes = stepWriter({ context, codec }, wanted, sink, blockBytes, held);
    let done = 0;
    await eachAtOnce(restoreSteps(wanted.blocks, holds, area), workers, async (step) => {
      held.check();
      const bytes = await writes(step);
      sum[step.block === undefined ? 'zeroedBytes' : 'writtenBytes'] += bytes;
      done++;
      const doneBytes = BigInt(done) * BigInt(blockBytes);
      onProgress({ percent: Math.floor((done * 99) / total), doneBytes, totalBytes });
    });
    await orAborted(sink.flush(), held.signal);
    onProgress({ percent: 100, doneBytes: totalBytes, totalBytes });
    return { full, ...sum };
  });
}

async function usableBackup(
  context: StoreContext,
  volume: string,
  backup: string,
  signal: AbortSignal,
): Promise<StoredBackup> {
  const read = await readBackup(context, volume, backup, signal);
  if (!isInProgress(read)) return read;
  throw new AppError('BLOCK_BACKUP_IN_PROGRESS', `the backup ${backup} of the volume ${volume} is not complete`, {
    nextStep: 'Wait until it is complete. If its creator no longer runs, delete it and restore another one.',
  });
}

/** @throws BLOCK_STORE_FILE for blocks that no backup has; BLOCK_SINK_SMALL */
function sizeOfBlocks({ paths }: StoreContext, wanted: StoredBackup, sink: BlockSink): number {
  const key = paths.volume(wanted.volumeName).backup(wanted.name);
  const blockBytes = usualBlockBytes(wanted);
  if (blockBytes === undefined) {
    throw damagedFile(key, 'its blocks are not where blocks of their size are', 'Restore another backup.');
  }
  const { blocks } = wanted;
  const end = blocks.length === 0 ? 0 : blocks.offsetAt(blocks.length - 1) + blockBytes;
  if (BigInt(end) <= sink.sizeBytes) return blockBytes;
  throw new AppError('BLOCK_SINK_SMALL', `the backup reaches to byte ${end} of a volume of ${sink.sizeBytes} bytes`, {
    nextStep: 'Restore to a volume of the size that the backed up one had.',
  });
}

/** Larger blocks would exceed a worker's memory. */
const blockBytesMax = 64 * 1024 * 1024;

/** Undefined for a list that cannot be restored: blocks would overlap, or be too large for memory. */
function usualBlockBytes(backup: StoredBackup): number | undefined {
  const blockBytes = blockBytesOf(backup);
  if (blockBytes === undefined || blockBytes > blockBytesMax) return undefined;
  const { blocks } = backup;
  for (let at = 0; at < blocks.length; at++) if (blocks.offsetAt(at) % blockBytes !== 0) return undefined;
  return blockBytes;
}

async function holdsOf(
  context: StoreContext,
  volume: string,
  blockBytes: number,
  { since, begun, isNew = false }: RestoreCall,
  signal: AbortSignal,
): Promise<{ holds: SinkHolds; full: RestoreResult['full'] }> {
  if (since === undefined) return { holds: isNew ? 'zeros' : 'anything', full: undefined };
  const lists = [];
  for (const name of begun === undefined ? [since] : [since, begun]) {
    const read = await readBackup(context, volume, name, signal).catch((error: unknown) => {
      if (isAppError(error, 'BLOCK_BACKUP_NOT_FOUND') || isAppError(error, 'BLOCK_STORE_FILE')) return undefined;
      throw error;
    });
    if (read === undefined || isInProgress(read)) return { holds: 'anything', full: 'that backup cannot be used' };
    if (usualBlockBytes(read) !== blockBytes) {
      return { holds: 'anything', full: 'that backup has blocks of another size' };
    }
    lists.push(read.blocks);
  }
  return { holds: lists, full: undefined };
}

function stepWriter(
  { context, codec }: Deps,
  wanted: StoredBackup,
  sink: BlockSink,
  blockBytes: number,
  { signal }: HeldLock,
): (step: RestoreStep) => Promise<bigint> {
  const paths = context.paths.volume(wanted.volumeName);
  const zeroHash = blockHash(Buffer.alloc(blockBytes));
  return async ({ offset, block }) => {
    const at = BigInt(offset);
    const left = sink.sizeBytes - at;
    const bytes = left < BigInt(blockBytes) ? left : BigInt(blockBytes);
    const hash = block === undefined ? zeroHash : wanted.blocks.checksumAt(block);
    // An area of both lists may lie beyond the end of the wanted backup, which has no data there.
    if (bytes <= 0n) return 0n;
    if (hash === zeroHash) {
      await orAborted(sink.zero(at, Number(bytes), { unmap: true }), signal);
      return bytes;
    }
    const wants = { hash, method: wanted.compressionMethod, blockBytes };
    const data = await fetchBlock(context, codec, paths, wants, signal);
    await orAborted(sink.write(at, [data]), signal);
    return bytes;
  };
}
