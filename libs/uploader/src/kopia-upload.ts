import { outputLines } from '@lateen/child-process';
import type { UploadRequest, UploadResult } from '@lateen/datapath';
import { AppError } from '@lateen/errors';
import type { Logger } from '@lateen/kernel';
import { type KopiaSession, splitterOf } from '@lateen/repository';
import { wantsAttributes } from './attributes/attributes-wanted.ts';
import { deleteSnapshotsById } from './attributes/delete-snapshot.ts';
import { besides } from './attributes/second-engine.ts';
import { takeAttributes } from './attributes/take-attributes.ts';
import { wantsChangedBlocksInFiles } from './files/file-wish.ts';
import { type PreparedFiles, prepareFiles } from './files/prepare-files.ts';
import { incrementalBytes } from './incremental-bytes.ts';
import { uploadArgs } from './kopia-args.ts';
import type { KopiaUploaderOptions } from './kopia-uploader-options.ts';
import { kopiaWords } from './kopia-words.ts';
import { isOfLiveVolume, parseEntryError } from './live/kopia-errors.ts';
import type { LiveFiles } from './live/live-files.ts';
import { withNamedParent } from './named-parent.ts';
import { parseSnapshotJson, type SnapshotManifest, tryParseSnapshotJson } from './snapshot-manifest.ts';
import { settleSplitter } from './splitter/settle-splitter.ts';
import { unreadableNextStep } from './unreadable-source.ts';
import { parseUploadProgress, type UploadProgress } from './upload-progress.ts';
import { uploadFailures } from './volume-failures.ts';

/** The most entries that the error names when a snapshot could not read all of the volume. */
const failedEntriesNamedMax = 10;

/**
 * Makes one snapshot of a directory, with the manifest of what kopia does not keep: in a tag of the snapshot, or in a snapshot of
 * its own, which is written at the same time if memory allows. Either everything succeeds or nothing remains. `live` receives the
 * entries that vanish from a volume in use. See `Uploader.upload` for abort and errors.
 */
export async function kopiaUpload(
  options: KopiaUploaderOptions,
  asked: UploadRequest,
  live?: LiveFiles | undefined,
): Promise<UploadResult> {
  const { session, programs, clock, random, log } = options;
  const request = await withNamedParent(options, asked);
  const fileSplice = wantsChangedBlocksInFiles(request) ? options.fileSplice : undefined;
  const wish = { told: splitterOf(request.config), volumeMode: request.volumeMode };
  await settleSplitter({ session, sourcePath: request.source.path, wish, log, signal: request.signal });
  const prepared = fileSplice === undefined ? undefined : await prepareFiles(options, fileSplice, request);
  const over = new AbortController();
  const signal = AbortSignal.any([request.signal, over.signal]);
  const saved: string[] = [];
  const onSaved = (snapshotID: string): void => void saved.push(snapshotID);
  const { volumePath, source } = request;
  const common = { session, programs, clock, volumePath, mainSourcePath: source.path, onSaved, signal };
  const running: Promise<unknown>[] = [];
  try {
    const taken = wantsAttributes(request.config)
      ? await takeAttributes({ ...common, key: random.uuid() })
      : { tagArg: undefined, stored: undefined, end: undefined };
    if (taken.stored !== undefined) running.push(taken.stored);
    const atOnce = taken.stored === undefined ? {} : besides(options);
    if (atOnce === undefined) await taken.stored;
    const uploaded = uploadTree(
      { ...options, ...atOnce },
      { ...request, signal },
      { tagArg: taken.tagArg, onSaved, live, prepared },
    );
    running.push(uploaded);
    const [result, end] = await Promise.all([uploaded, taken.end]);
    request.signal.throwIfAborted();
    const isInTag = taken.stored === undefined;
    if (end !== undefined) log.info({ ...end, isInTag }, 'what the engine does not keep is in the attribute manifest');
    return result;
  } catch (error) {
    over.abort(error);
    await Promise.allSettled(running);
    // kopia deletes the checkpoint after a complete snapshot only; what it has saved may be one.
    const { checkpointID } = prepared ?? {};
    await discard(options, saved.length === 0 && checkpointID !== undefined ? [checkpointID] : saved);
    request.signal.throwIfAborted();
    throw error;
  }
}

interface TreeUpload {
  tagArg: string | undefined;
  onSaved(snapshotID: string): void;
  live: LiveFiles | undefined;
  prepared: PreparedFiles | undefined;
}

async function uploadTree(
  options: KopiaUploaderOptions,
  request: UploadRequest,
  { tagArg, onSaved, live, prepared }: TreeUpload,
): Promise<UploadResult> {
  const { session } = options;
  const words = kopiaWords(options);
  const doing = `uploading ${request.volumePath}`;
  const unreadable = new AbortController();
  let last: UploadProgress | undefined;
  const onStderr = outputLines((line) => {
    const progress = parseUploadProgress(line);
    if (progress === undefined) {
      const failed = live === undefined ? undefined : parseEntryError(line);
      if (failed?.isGone === true) return live?.vanished(failed.path);
      if (failed !== undefined) return unreadable.abort(notRead(session, doing, 1, [failed]));
      if (live !== undefined && isOfLiveVolume(line)) return;
      return words.take(line);
    }
    last = progress;
    request.onProgress(progressOf(progress));
  }).push;
  const signal = AbortSignal.any([request.signal, unreadable.signal]);
  const config = prepared?.readsAll === true ? { ...request.config, ReadUnchangedFiles: 'true' } : request.config;
  const tagArgs = [...(tagArg === undefined ? [] : [tagArg]), ...(prepared?.tagArgs ?? [])];
  const exit = await session.run(uploadArgs({ ...request, config }, options, tagArgs), { onStderr, signal });
  const saved = tryParseSnapshotJson(exit.stdout);
  // When kopia is asked to stop, it saves what it has.
  if (saved !== undefined) onSaved(saved.id);
  signal.throwIfAborted();
  // For a volume in use, kopia exits with 1 when it has saved a snapshot without the vanished entries.
  const savedWithout = live !== undefined && live.vanishedCount > 0 && saved?.failedEntries === live.vanishedCount;
  if (exit.exitCode !== 0 && !savedWithout) throw session.failure(exit, doing, uploadFailures);
  const manifest = parseSnapshotJson(exit.stdout);
  const flaw = flawOf(manifest, doing, session, live);
  if (flaw !== undefined) throw flaw;
  words.tell(request);
  const { totalBytes } = manifest;
  request.onProgress({ totalBytes, doneBytes: totalBytes });
  const result = { snapshotID: manifest.id, totalBytes, incrementalBytes: incrementalBytes(totalBytes, last) };
  return prepared === undefined ? result : withFiles(result, prepared, options.log);
}

/** What was read of composed files was read, too, though the engine did not see it. */
function withFiles(result: UploadResult, prepared: PreparedFiles, log: Logger): UploadResult {
  const { readBytes, composed, fullReadReason } = prepared;
  const incrementalBytes = Math.min(result.totalBytes, result.incrementalBytes + readBytes);
  log.info({ composed, readBytes, fullReadReason }, 'large files were looked at for changed blocks');
  return { ...result, incrementalBytes, readReport: { readBytes: incrementalBytes, fullReadReason } };
}

function progressOf(progress: UploadProgress): { totalBytes?: number; doneBytes: number } {
  const doneBytes = progress.hashed.bytes + progress.cached.bytes;
  // The figures are rounded: without the clamp, progress could exceed 100 %.
  if (progress.estimated === undefined) return { doneBytes };
  return { totalBytes: progress.estimated.bytes, doneBytes: Math.min(doneBytes, progress.estimated.bytes) };
}

function flawOf(
  manifest: SnapshotManifest,
  doing: string,
  session: KopiaSession,
  live: LiveFiles | undefined,
): AppError | undefined {
  if (manifest.incomplete !== undefined) {
    return new AppError('UPLOADER_INCOMPLETE', `${doing}: the engine stopped early (${manifest.incomplete})`, {
      retry: 'later',
    });
  }
  if (manifest.failedEntries === (live?.vanishedCount ?? 0)) return undefined;
  return notRead(session, doing, manifest.failedEntries, manifest.errors);
}

function notRead(
  session: KopiaSession,
  doing: string,
  count: number,
  errors: readonly { path: string; error: string }[],
): AppError {
  const named = errors
    .slice(0, failedEntriesNamedMax)
    .map(({ path, error }) => session.redact(`${path}: ${error}`))
    .join('; ');
  return new AppError('UPLOADER_SOURCE_UNREADABLE', `${doing}: ${count} entries not read: ${named}`, {
    retry: 'later',
    nextStep: unreadableNextStep(named),
  });
}

/**
 * Deletes snapshots that nothing will refer to. Best effort: they are pinned, so kopia's retention would keep them for ever, but
 * a snapshot that stays only costs space until the repository is deleted.
 */
async function discard(options: KopiaUploaderOptions, snapshotIDs: readonly string[]): Promise<void> {
  try {
    await deleteSnapshotsById(options.session, snapshotIDs, options.clock.deadline(options.discardMs));
  } catch (error) {
    options.log.warn({ err: error, snapshotIDs }, 'cannot delete the snapshot of an upload that did not end well');
  }
}
