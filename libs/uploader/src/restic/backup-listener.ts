import { outputLines } from '@lateen/child-process';
import type { DataPathProgress } from '@lateen/datapath';
import { type EngineExit, type ItemError, parseItemError } from '@lateen/repository';
import type { EngineWords } from '../engine-words.ts';
import type { LiveFiles } from '../live/live-files.ts';
import { progressOf } from './restic-args.ts';
import { type BackupMessage, parseBackupMessage } from './restic-progress.ts';
import type { ResticUploaderOptions } from './restic-uploader-options.ts';
import { resticWords } from './restic-words.ts';

/** The most entries that the error names when a snapshot could not read all of the volume. */
const failedEntriesNamedMax = 10;

type Summary = BackupMessage & { kind: 'summary' };

/** What one run of `restic backup` printed, and how it ended. */
export interface BackupOutcome {
  exit: EngineExit;
  summary: Summary | undefined;
  failedCount: number;
  /** The first of the entries that failed. */
  failed: readonly ItemError[];
  /** The snapshot lacks only entries that vanished from a volume in use. */
  savedWithoutVanished: boolean;
  words: EngineWords;
}

/**
 * Reads the output of one run of `restic backup --json`. Vanished entries are passed to `live`, and do not count as failures
 * then.
 */
export function backupListener(
  options: ResticUploaderOptions,
  onProgress: (progress: DataPathProgress) => void,
  live?: LiveFiles | undefined,
) {
  let summary: Summary | undefined;
  let failedCount = 0;
  const failed = new Map<string, ItemError>();
  const decoder = new TextDecoder();
  const words = resticWords(options);
  const onLine = outputLines((line) => {
    const message = parseBackupMessage(line);
    if (message?.kind === 'status') onProgress(progressOf(message.doneBytes, message.totalBytes));
    if (message?.kind === 'summary') summary = message;
  }).push;
  const onStderr = outputLines((line) => {
    const error = parseItemError(line);
    if (live !== undefined && error?.isGone === true) {
      // An error during restic's count occurs again when restic reads the entry, or the entry is gone.
      if (error.archival) live.vanished(error.item);
      return;
    }
    words.take(line);
    if (error === undefined || !error.archival || failed.has(error.item)) return;
    failedCount++;
    if (failed.size < failedEntriesNamedMax) failed.set(error.item, error);
  }).push;
  return {
    streams: { onStdout: (chunk: Buffer) => onLine(decoder.decode(chunk, { stream: true })), onStderr },
    outcome: (exit: EngineExit): BackupOutcome => ({
      exit,
      summary,
      failedCount,
      failed: [...failed.values()],
      savedWithoutVanished: (live?.vanishedCount ?? 0) > 0 && failedCount === 0,
      words,
    }),
  };
}
