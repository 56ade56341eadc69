import { AppError, isAppError } from '@lateen/errors';
import type { BlockCodec } from '../codec/block-codec.ts';
import type { BaseDecision } from '../decide/decide-base.ts';
import {
  backupConfigPieces,
  blockBytesParameter,
  isInProgress,
  modeParameter,
  type StoredBackup,
} from '../format/backup-config.ts';
import { noBlocks, overlaid } from '../format/block-list.ts';
import { formatTime } from '../format/go-time.ts';
import type { StoredVolume } from '../format/volume-config.ts';
import type { HeldLock } from '../lock/keep-lock.ts';
import { withLock } from '../lock/with-lock.ts';
import { newLockName } from '../names/store-names.ts';
import { readBackup } from '../store/read-configs.ts';
import type { Call, StoreContext } from '../store/store-context.ts';
import { type BackupPlan, type BackupProgress, type BackupResult, checkPlan, workersDefault } from './backup-plan.ts';
import type { BlockSource } from './block-source.ts';
import { type ChangedBlocks, changedBlocks } from './changed-blocks.ts';
import { baseFor } from './find-base.ts';
import { noteInVolume, sortedByName, volumeFor } from './note-in-volume.ts';
import { type Uploaded, uploadBlocks } from './upload-blocks.ts';

export interface BackupCall extends Call {
  onProgress?(progress: BackupProgress): void;
}

interface Deps {
  context: StoreContext;
  codec: BlockCodec;
  blockSizes?: readonly number[] | undefined;
}

/**
 * One backup, in the order of the format: lock, volume.cfg, base, the file of a backup in progress, blocks, the file with all blocks, volume.cfg. A
 * backup exists when its file says when it was finished, and only then other files name it. A failure leaves the file of a backup in progress, which
 * says whose it is; until that backup is deleted, it keeps the blocks of the volume from being deleted.
 */
export async function runBackup(
  { context, codec, blockSizes }: Deps,
  source: BlockSource,
  plan: BackupPlan,
  { signal, onProgress = () => {} }: BackupCall,
): Promise<BackupResult> {
  checkPlan(plan, blockSizes);
  const startedAt = formatTime(context.clock.now());
  return await withLock(context, plan.volume, { purpose: 'backup create/restore', signal }, async (held) => {
    const volume = await volumeFor(context, plan, source, held.signal);
    const base = await baseFor(context, plan, source, volume, held.signal);
    // Right before the first write: a process that was suspended for long would overwrite a backup that another process has finished.
    held.check();
    await refuseExisting(context, plan, held.signal);
    if ('full' in base)
      context.log.info({ volume: plan.volume, because: base.full }, 'the backup reads the whole volume');
    const run = newLockName(context.random);
    const begun = { ...beginning(plan, volume), other: { [runField]: run } };
    await writeBackup(context, begun, held.signal);
    const changed = await changedIn(source, plan, base, held.signal);
    const uploaded = await upload({ context, codec }, source, plan, changed, { begun, held, onProgress });
    const readBytes = bytesOf(changed.count, plan);
    const backup = { ...completed(context, plan, begun, base, uploaded), snapshotCreatedAt: startedAt, other: {} };
    await refuseSuperseded(context, plan, run, held.signal);
    held.check();
    await writeBackup(context, backup, held.signal);
    await noteInVolume(context, plan, source, backup, uploaded, held.signal);
    onProgress({ percent: 100, readBytes, toReadBytes: readBytes, uploadedBytes: uploadedBytes(uploaded) });
    const { blocks: _, ...summary } = backup;
    return { backup: summary, full: 'full' in base ? base.full : undefined, readBytes, newBlocks: uploaded.newBlocks };
  });
}

/** A backup that was not finished is begun again: the process that made it under this name is gone. */
async function refuseExisting(
  context: StoreContext,
  { volume, backup }: BackupPlan,
  signal: AbortSignal,
): Promise<StoredBackup | undefined> {
  const existing = await readBackup(context, volume, backup, signal).catch((error: unknown) => {
    if (!isAppError(error, 'BLOCK_BACKUP_NOT_FOUND')) throw error;
    return undefined;
  });
  if (existing === undefined || isInProgress(existing)) return existing;
  throw new AppError('BLOCK_BACKUP_EXISTS', `the volume ${volume} has a backup ${backup} already`, {
    nextStep: 'Give the new backup another name.',
  });
}

/** The field with the run that began the file in progress; readers of the format ignore it. */
const runField = 'LateenRun';

/**
 * Another process may have begun the same backup since, because this one did not respond for long: then the other one finishes it, or has, and this
 * one writes nothing more. Nothing is written for a backup that was deleted meanwhile either. @throws BLOCK_BACKUP_SUPERSEDED, BLOCK_BACKUP_EXISTS
 */
async function refuseSuperseded(
  context: StoreContext,
  plan: BackupPlan,
  run: string,
  signal: AbortSignal,
): Promise<void> {
  const found = await refuseExisting(context, plan, signal);
  if (found?.other[runField] === run) return;
  const why = found === undefined ? 'was deleted' : 'was begun by another process';
  throw new AppError('BLOCK_BACKUP_SUPERSEDED', `the backup ${plan.backup} ${why} while it was made`, {
    nextStep: 'Wait for it. If its creator no longer runs, make another backup.',
  });
}

/** What other clients see while the backup runs, or when it was never finished. */
const beginning = (plan: BackupPlan, { compressionMethod }: StoredVolume): StoredBackup => ({
  name: plan.backup,
  volumeName: plan.volume,
  snapshotName: '',
  snapshotCreatedAt: '',
  createdTime: '',
  sizeBytes: 0n,
  labels: null,
  parameters: null,
  isIncremental: false,
  compressionMethod,
  newlyUploadedBytes: 0n,
  reUploadedBytes: 0n,
  other: {},
  blocks: noBlocks,
});

const changedIn = (source: BlockSource, { blockBytes }: BackupPlan, base: BaseDecision, signal: AbortSignal) =>
  changedBlocks(source, { since: 'base' in base ? base.base.snapshotName : undefined, blockBytes, signal });

async function upload(
  { context, codec }: Deps,
  source: BlockSource,
  plan: BackupPlan,
  changed: ChangedBlocks,
  { begun, held, onProgress }: { begun: StoredBackup; held: HeldLock; onProgress(progress: BackupProgress): void },
): Promise<Uploaded> {
  const { mode, blockBytes, workers = workersDefault } = plan;
  return await uploadBlocks(context, context.paths.volume(plan.volume), source, changed, {
    codec,
    method: begun.compressionMethod,
    mode,
    blockBytes,
    workers,
    signal: held.signal,
    onBlock: ({ blocks, bytes }) => {
      onProgress({
        percent: Math.floor((blocks * 95) / changed.count),
        readBytes: bytesOf(blocks, plan),
        toReadBytes: bytesOf(changed.count, plan),
        uploadedBytes: bytes,
      });
    },
  });
}

function completed(
  { clock }: StoreContext,
  plan: BackupPlan,
  begun: StoredBackup,
  base: BaseDecision,
  uploaded: Uploaded,
): StoredBackup {
  const blocks = 'base' in base ? overlaid(base.base.blocks, uploaded.blocks) : uploaded.blocks;
  return {
    ...begun,
    snapshotName: plan.snapshot,
    createdTime: formatTime(clock.now()),
    sizeBytes: bytesOf(blocks.length, plan),
    labels: sortedByName(plan.labels),
    parameters: { [blockBytesParameter]: String(plan.blockBytes), [modeParameter]: plan.mode },
    isIncremental: 'base' in base,
    newlyUploadedBytes: uploaded.newlyUploadedBytes,
    reUploadedBytes: uploaded.reUploadedBytes,
    blocks,
  };
}

async function writeBackup({ store, paths }: StoreContext, backup: StoredBackup, signal: AbortSignal): Promise<void> {
  const pieces = (async function* () {
    yield* backupConfigPieces(backup);
  })();
  await store.write(paths.volume(backup.volumeName).backup(backup.name), pieces, { signal });
}

const bytesOf = (blocks: number, { blockBytes }: BackupPlan): bigint => BigInt(blocks) * BigInt(blockBytes);

const uploadedBytes = ({ newlyUploadedBytes, reUploadedBytes }: Uploaded): bigint =>
  newlyUploadedBytes + reUploadedBytes;
