import type { UploadRequest, UploadResult } from '@lateen/datapath';
import { AppError } from '@lateen/errors';
import type { EngineExit } from '@lateen/repository';
import { unreadableNextStep } from '../unreadable-source.ts';
import type { BackupOutcome } from './backup-listener.ts';
import { showArgs } from './restic-args.ts';
import { parseSnapshots } from './restic-snapshot.ts';
import type { ResticUploaderOptions } from './restic-uploader-options.ts';
import { uploadFailures } from './restic-volume-failures.ts';
import { discardSnapshot, runRestic } from './run-restic.ts';

/** Exit code 3: a snapshot was made, but without what could not be read. */
const incompleteExitCode = 3;

/**
 * Returns the result of a successful backup. Otherwise it deletes the snapshot and rejects. `flaw` is a reason of the caller to
 * reject the backup.
 */
export async function backupResult(
  options: ResticUploaderOptions,
  request: Pick<UploadRequest, 'onProgress' | 'onWarning' | 'signal'>,
  outcome: BackupOutcome,
  judge: { doing: string; flaw?: Error | undefined },
): Promise<UploadResult> {
  const { onProgress, signal } = request;
  const { summary, exit, words } = outcome;
  const flaw: unknown = signal.aborted ? signal.reason : (judge.flaw ?? flawOf(options, outcome, judge.doing));
  if (flaw !== undefined || summary === undefined) {
    if (summary !== undefined) await discardSnapshot(options, summary.snapshotId);
    throw flaw ?? options.session.failure(exit, judge.doing, uploadFailures);
  }
  const { totalBytes, addedBytes } = summary;
  const snapshotID = await fullId(options, summary.snapshotId, signal);
  words.tell(request);
  onProgress({ totalBytes, doneBytes: totalBytes });
  return { snapshotID, totalBytes, incrementalBytes: Math.min(addedBytes, totalBytes) };
}

/** restic makes no snapshot of nothing. */
export const isEmptyVolume = ({ exit, failedCount }: BackupOutcome): boolean => isEmptyTree(exit) && failedCount === 0;

const isEmptyTree = (exit: EngineExit): boolean => exit.exitCode === 1 && /snapshot is empty/i.test(exit.stderr);

function flawOf(options: ResticUploaderOptions, outcome: BackupOutcome, doing: string): AppError | undefined {
  const { exit, summary, failed, failedCount } = outcome;
  if (failedCount > 0 && (exit.exitCode === incompleteExitCode || isEmptyTree(exit))) {
    const named = failed.map(({ item, reason }) => `${item}${reason === '' ? '' : `: ${reason}`}`).join('; ');
    return new AppError(
      'UPLOADER_SOURCE_UNREADABLE',
      `${doing}: ${failedCount} entries not read: ${options.session.redact(named)}`,
      { retry: 'later', nextStep: unreadableNextStep(named) },
    );
  }
  if (exit.exitCode === incompleteExitCode && summary !== undefined && outcome.savedWithoutVanished) return undefined;
  if (exit.exitCode !== 0) return options.session.failure(exit, doing, uploadFailures);
  if (summary !== undefined) return undefined;
  return new AppError('UPLOADER_BAD_ANSWER', 'restic did not report the snapshot it made', { retry: 'later' });
}

/** The summary of 0.14 has the first eight digits of the ID; two snapshots of a big repository may share them. */
async function fullId(options: ResticUploaderOptions, id: string, signal: AbortSignal): Promise<string> {
  const exit = await runRestic(options, showArgs(id), { signal });
  const found = exit.exitCode === 0 ? parseSnapshots(exit.stdout)[0]?.id : undefined;
  if (!signal.aborted && found !== undefined) return found;
  await discardSnapshot(options, id);
  signal.throwIfAborted();
  throw options.session.failure(exit, 'looking up the new snapshot');
}
