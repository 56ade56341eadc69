import { AppError } from '@lateen/errors';
import type { BackupMode, FullBecause } from '../decide/decide-base.ts';
import { type BackupSummary, blockSizes } from '../format/backup-config.ts';
import type { CompressionMethod } from '../format/compression-method.ts';
import type { TextMap } from '../format/config-field.ts';
import { checkStoreName } from '../names/store-names.ts';

export interface BackupPlan {
  readonly volume: string;
  /** A unique name: `newBackupName`. */
  readonly backup: string;
  readonly snapshot: string;
  /** Names of the snapshots that it builds on, without its own. */
  readonly snapshots: ReadonlySet<string>;
  readonly mode: BackupMode;
  readonly blockBytes: number;
  /** For a volume without a backup; otherwise the method of its first backup applies. */
  readonly compressionMethod: CompressionMethod;
  readonly labels: TextMap;
  readonly storageClassName: string;
  readonly backingImageName?: string;
  readonly backingImageChecksum?: string;
  /** Blocks processed in parallel; 2 when absent. Each takes at most twice its size. */
  readonly workers?: number;
}

export interface BackupProgress {
  /** 0 to 95 while blocks are read, 100 when it is complete. */
  readonly percent: number;
  readonly readBytes: bigint;
  readonly toReadBytes: bigint;
  /** Bytes after compression. */
  readonly uploadedBytes: bigint;
}

export interface BackupResult {
  readonly backup: BackupSummary;
  /** Why everything was read; undefined when it builds on the last backup. */
  readonly full: FullBecause | undefined;
  readonly readBytes: bigint;
  readonly newBlocks: number;
}

export const workersDefault = 2;
const workersMax = 16;

/** @throws BLOCK_STORE_NAME, BLOCK_SIZE_UNFIT; RangeError for a number of workers that is none */
export function checkPlan(plan: BackupPlan, sizes: readonly number[] = blockSizes): void {
  checkStoreName('volume', plan.volume);
  checkStoreName('backup', plan.backup);
  checkStoreName('snapshot', plan.snapshot);
  checkWorkers(plan.workers);
  if (sizes.includes(plan.blockBytes)) return;
  throw new AppError('BLOCK_SIZE_UNFIT', `backups have no blocks of ${plan.blockBytes} bytes`, {
    nextStep: `Choose one of ${sizes.join(' and ')}.`,
  });
}

export function checkWorkers(workers = workersDefault): void {
  if (Number.isInteger(workers) && workers >= 1 && workers <= workersMax) return;
  throw new RangeError(`${workers} is not a number of workers from 1 to ${workersMax}`);
}
