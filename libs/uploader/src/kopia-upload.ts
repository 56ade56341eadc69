import type { UploadRequest, UploadResult } from '@lateen/datapath';
import { AppError } from '@lateen/errors';
import type { KopiaSession } from '@lateen/repository';
import { incrementalBytes } from './incremental-bytes.ts';
import { uploadArgs } from './kopia-args.ts';
import type { KopiaUploaderOptions } from './kopia-uploader-options.ts';
import { lineSplitter } from './line-splitter.ts';
import { parseSnapshotJson, type SnapshotManifest, tryParseSnapshotJson } from './snapshot-manifest.ts';
import { parseUploadProgress, type UploadProgress } from './upload-progress.ts';
import { uploadFailures } from './volume-failures.ts';

/** Entries named when a snapshot could not read all of the volume. */
const failedEntriesNamedMax = 10;

/** One snapshot of a directory. See `Uploader.upload` for abort and errors. */
export async function kopiaUpload(options: KopiaUploaderOptions, request: UploadRequest): Promise<UploadResult> {
  const { session } = options;
  let last: UploadProgress | undefined;
  const onStderr = lineSplitter((line) => {
    const progress = parseUploadProgress(line);
    if (progress === undefined) return options.log.debug({ engine: session.redact(line) }, 'engine says');
    last = progress;
    request.onProgress(progressOf(progress));
  });
  const exit = await session.run(uploadArgs(request, options.cpus), { onStderr, signal: request.signal });
  if (request.signal.aborted) {
    await discard(options, tryParseSnapshotJson(exit.stdout));
    throw request.signal.reason;
  }
  const doing = `uploading ${request.volumePath}`;
  if (exit.exitCode !== 0) {
    await discard(options, tryParseSnapshotJson(exit.stdout));
    throw session.failure(exit, doing, uploadFailures);
  }
  const manifest = parseSnapshotJson(exit.stdout);
  const flaw = flawOf(manifest, doing, session);
  if (flaw !== undefined) {
    await discard(options, manifest);
    throw flaw;
  }
  const { totalBytes } = manifest;
  request.onProgress({ totalBytes, doneBytes: totalBytes });
  return { snapshotID: manifest.id, totalBytes, incrementalBytes: incrementalBytes(totalBytes, last) };
}

function progressOf(progress: UploadProgress): { totalBytes?: number; doneBytes: number } {
  const doneBytes = progress.hashed.bytes + progress.cached.bytes;
  // Rounded figures: without the clamp a bar could pass 100 %.
  if (progress.estimated === undefined) return { doneBytes };
  return { totalBytes: progress.estimated.bytes, doneBytes: Math.min(doneBytes, progress.estimated.bytes) };
}

function flawOf(manifest: SnapshotManifest, doing: string, session: KopiaSession): AppError | undefined {
  if (manifest.incomplete !== undefined) {
    return new AppError('UPLOADER_INCOMPLETE', `${doing}: the engine stopped early (${manifest.incomplete})`, {
      retry: 'later',
    });
  }
  if (manifest.failedEntries === 0) return undefined;
  const named = manifest.errors
    .slice(0, failedEntriesNamedMax)
    .map(({ path, error }) => session.redact(`${path}: ${error}`))
    .join('; ');
  return new AppError('UPLOADER_SOURCE_UNREADABLE', `${doing}: ${manifest.failedEntries} entries not read: ${named}`, {
    retry: 'later',
    nextStep: 'Check the file system of the volume and the permissions of what is named.',
  });
}

/**
 * Deletes a snapshot that nobody will ever refer to. Best effort: it is pinned, so kopia's retention would keep it for
 * ever, but all it costs is space until the repository is gone.
 */
async function discard(options: KopiaUploaderOptions, manifest: SnapshotManifest | undefined): Promise<void> {
  if (manifest === undefined) return;
  const signal = options.clock.deadline(options.discardMs);
  const exit = await options.session.run(['snapshot', 'delete', manifest.id, '--delete'], { signal });
  if (exit.exitCode === 0) return;
  options.log.warn({ snapshotID: manifest.id }, 'cannot delete the snapshot of an upload that did not end well');
}
