import type { UploadRequest, UploadResult } from '@lateen/datapath';
import { AppError } from '@lateen/errors';
import { type EngineExit, type ItemError, parseItemError, type ResticRun } from '@lateen/repository';
import { lineSplitter } from '../line-splitter.ts';
import { backupArgs, listArgs, progressOf, showArgs, streamArgs, withoutEffect } from './restic-args.ts';
import { type BackupMessage, parseBackupMessage } from './restic-progress.ts';
import { newestWith, parseSnapshots } from './restic-snapshot.ts';
import type { ResticUploaderOptions } from './restic-uploader-options.ts';
import { uploadFailures } from './restic-volume-failures.ts';
import { discardSnapshot, runRestic } from './run-restic.ts';
import { parentTags, snapshotTags } from './snapshot-tags.ts';
import { readVolumeRoot } from './volume-root.ts';

/** Entries named when a snapshot could not read all of the volume. */
const failedEntriesNamedMax = 10;

/** restic makes no snapshot of nothing, so a volume without files is a snapshot of this file; it is never restored. */
const emptyVolume = { file: 'this-volume-was-empty', content: 'The volume of this snapshot was empty.\n' } as const;

type Summary = BackupMessage & { kind: 'summary' };

/** What one `restic backup` said beside how it ended. */
export interface BackupOutcome {
  exit: EngineExit;
  summary: Summary | undefined;
  failedCount: number;
  failed: readonly ItemError[];
}

/** One snapshot of a directory. See `Uploader.upload` for abort and errors. */
export async function resticUpload(options: ResticUploaderOptions, request: UploadRequest): Promise<UploadResult> {
  for (const ignored of withoutEffect(request.config)) options.log.info(ignored, 'a data mover setting has no effect');
  const doing = `uploading ${request.volumePath}`;
  const { source, volumePath, volumeMode, signal } = request;
  const parent = await findParent(options, request);
  options.log.info({ parent }, parent === undefined ? 'there is no earlier snapshot' : 'only what changed is read');
  const root = await readVolumeRoot(volumePath);
  const args = backupArgs(snapshotTags(source, volumeMode, { root }), parent);
  const outcome = await runBackup(options, request, args, () => ({ cwd: volumePath }));
  if (!isEmptyVolume(outcome)) return resultOf(options, request, outcome, doing);
  signal.throwIfAborted();
  const marker = streamArgs(snapshotTags(source, volumeMode, { root, empty: true }), emptyVolume.file);
  const quiet = { ...request, onProgress: () => {} };
  const marked = await runBackup(options, quiet, marker, () => ({ stdin: emptyVolume.content }));
  const { snapshotID } = await resultOf(options, quiet, marked, doing);
  request.onProgress({ totalBytes: 0, doneBytes: 0 });
  return { snapshotID, totalBytes: 0, incrementalBytes: 0 };
}

/** Runs `restic backup` and reads what it says. */
export async function runBackup(
  options: ResticUploaderOptions,
  request: UploadRequest,
  args: readonly string[],
  run: () => ResticRun,
): Promise<BackupOutcome> {
  let summary: Summary | undefined;
  const failed = new Map<string, ItemError>();
  let failedCount = 0;
  const onStdout = lineSplitter((line) => {
    const message = parseBackupMessage(line);
    if (message?.kind === 'status') request.onProgress(progressOf(message.doneBytes, message.totalBytes));
    if (message?.kind === 'summary') summary = message;
  });
  const onStderr = lineSplitter((line) => {
    options.log.debug({ engine: options.session.redact(line) }, 'engine says');
    const error = parseItemError(line);
    if (error === undefined || !error.archival || failed.has(error.item)) return;
    failedCount++;
    if (failed.size < failedEntriesNamedMax) failed.set(error.item, error);
  });
  const decoder = new TextDecoder();
  const exit = await runRestic(options, args, () => ({
    ...run(),
    onStdout: (chunk) => onStdout(decoder.decode(chunk, { stream: true })),
    onStderr,
    signal: request.signal,
  }));
  return { exit, summary, failedCount, failed: [...failed.values()] };
}

/** The result of a backup that went well; otherwise nothing of it stays. */
export async function resultOf(
  options: ResticUploaderOptions,
  request: UploadRequest,
  outcome: BackupOutcome,
  doing: string,
): Promise<UploadResult> {
  const { summary, exit } = outcome;
  const flaw = request.signal.aborted ? request.signal.reason : flawOf(options, outcome, doing);
  if (flaw !== undefined || summary === undefined) {
    if (summary !== undefined) await discardSnapshot(options, summary.snapshotId);
    throw flaw ?? options.session.failure(exit, doing, uploadFailures);
  }
  const { totalBytes, addedBytes } = summary;
  const snapshotID = await fullId(options, summary.snapshotId, request.signal);
  request.onProgress({ totalBytes, doneBytes: totalBytes });
  return { snapshotID, totalBytes, incrementalBytes: Math.min(addedBytes, totalBytes) };
}

/** Exit code 3: a snapshot was made, but without what could not be read. */
const incompleteExitCode = 3;

function flawOf(options: ResticUploaderOptions, outcome: BackupOutcome, doing: string): AppError | undefined {
  const { exit, summary, failed, failedCount } = outcome;
  if (failedCount > 0 && (exit.exitCode === incompleteExitCode || isEmptyTree(exit))) {
    const named = failed.map(({ item, reason }) => `${item}${reason === '' ? '' : `: ${reason}`}`).join('; ');
    return new AppError(
      'UPLOADER_SOURCE_UNREADABLE',
      `${doing}: ${failedCount} entries not read: ${options.session.redact(named)}`,
      { retry: 'later', nextStep: 'Check the file system of the volume and the permissions of what is named.' },
    );
  }
  if (exit.exitCode !== 0) return options.session.failure(exit, doing, uploadFailures);
  if (summary !== undefined) return undefined;
  return new AppError('UPLOADER_BAD_ANSWER', 'restic did not report the snapshot it made', { retry: 'later' });
}

const isEmptyTree = (exit: EngineExit): boolean => exit.exitCode === 1 && /snapshot is empty/i.test(exit.stderr);

const isEmptyVolume = ({ exit, failedCount }: BackupOutcome): boolean => isEmptyTree(exit) && failedCount === 0;

/** The newest snapshot of the same volume; given to restic by ID because each mover sees the volume at another path. */
async function findParent(options: ResticUploaderOptions, request: UploadRequest): Promise<string | undefined> {
  const tags = parentTags(request.source, request.volumeMode);
  const { signal } = request;
  const exit = await runRestic(options, listArgs(tags), () => ({ signal }));
  signal.throwIfAborted();
  if (exit.exitCode !== 0) throw options.session.failure(exit, 'looking for the previous snapshot');
  return newestWith(parseSnapshots(exit.stdout), tags)?.id;
}

/** The summary of 0.14 has eight digits of the ID; two snapshots of a big repository may share them. */
async function fullId(options: ResticUploaderOptions, id: string, signal: AbortSignal): Promise<string> {
  const exit = await runRestic(options, showArgs(id), () => ({ signal }));
  const found = exit.exitCode === 0 ? parseSnapshots(exit.stdout)[0]?.id : undefined;
  if (!signal.aborted && found !== undefined) return found;
  await discardSnapshot(options, id);
  signal.throwIfAborted();
  throw options.session.failure(exit, 'looking up the new snapshot');
}
