import type { ResourceType } from '@lateen/api-types';
import type { BackupResult, DataPathProgress, RestoreResult } from '@lateen/datapath';
import type { Movement } from '../movement.ts';

export interface KindOptions {
  signal: AbortSignal;
}

/** What differs between kinds of data movement; everything else is one reconciler. */
export interface MovementKind<T extends Movement> {
  type: ResourceType<T>;
  direction: 'backup' | 'restore';
  /** As in messages: `data upload`. */
  words: string;
  /** In messages about cancelling: `dataupload`. */
  word: string;
  /** Of log lines: `dataUpload`. */
  logField: string;
  /** Label of the hosting pod whose value is the object's name. */
  podLabel: string;
  /** Before the cause in status.message when exposing fails. */
  exposeFailed: string;
  /** Whether status.nodeOS exists on this kind. */
  writesNodeOs: boolean;
  /** Finds what is missing before anything is made. @throws AppError naming it */
  check(object: T, options: KindOptions): Promise<void>;
  expose(object: T, options: KindOptions): Promise<void>;
  diagnose(object: T, options: KindOptions): Promise<string | undefined>;
  /** What remains to do when the data has been moved, before Completed. Safe to repeat after a crash. */
  conclude(object: T, options: KindOptions): Promise<void>;
  /** True when an earlier process has begun to conclude, so the data is complete whatever the pod looks like. */
  isConcluding(object: T, options: KindOptions): Promise<boolean>;
  cleanUp(object: T, options: KindOptions): Promise<void>;
  /** The fields of status that Completed adds. */
  completedStatus(result: BackupResult | RestoreResult): object;
  /** What the data path is asked to do. */
  start: { config(object: T): Readonly<Record<string, string>>; snapshotId(object: T): string };
}

/** status.progress of a progress report; mind `doneBytes` on the wire and `bytesDone` here. */
export function statusProgress(progress: DataPathProgress): { totalBytes: number; bytesDone: number } {
  return { totalBytes: progress.totalBytes ?? 0, bytesDone: progress.doneBytes ?? 0 };
}

/** A completed data path has moved everything (data-movement.md section 7). */
export const fullProgress = (totalBytes: number): { totalBytes: number; bytesDone: number } => ({
  totalBytes,
  bytesDone: totalBytes,
});
