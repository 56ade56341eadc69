import { outputLines } from '@lateen/child-process';
import type { DownloadRequest, DownloadResult } from '@lateen/datapath';
import { AppError } from '@lateen/errors';
import { engineAttributes } from './attributes/attribute-source.ts';
import { prepareAttributes } from './attributes/prepare-attributes.ts';
import { besides } from './attributes/second-engine.ts';
import type { DeviceFigures } from './block/fill-device.ts';
import { isObjectId, parseOnlyFile } from './block/only-file.ts';
import { downloadArgs } from './kopia-args.ts';
import type { KopiaUploaderOptions } from './kopia-uploader-options.ts';
import { kopiaWords } from './kopia-words.ts';
import { parseRestoreProgress } from './restore-progress.ts';
import { parseManifestShow, type SnapshotManifest } from './snapshot-manifest.ts';
import { downloadFailures, snapshotLookupFailures } from './volume-failures.ts';

/** kopia's manifest IDs. kopia would take anything else for a path and restore the wrong data. */
const manifestId = /^[0-9a-f]{32}$/;

/** The result of a restore by the engine. */
export interface EngineDownloadResult extends DownloadResult {
  files?: number | undefined;
  /** Of a block device. */
  figures?: DeviceFigures | undefined;
}

/**
 * Restores one snapshot into a directory, with the contents of its attribute manifest. See `Uploader.download` for abort and
 * errors.
 */
export async function kopiaDownload(
  options: KopiaUploaderOptions,
  request: DownloadRequest,
): Promise<EngineDownloadResult> {
  const manifest = await lookUp(options, request);
  await mustBeOfFiles(request, manifest, (objectId) => shown(options, request, objectId));
  const { totalBytes } = manifest;
  const attributes = prepareAttributes(
    options,
    request,
    manifest,
    engineAttributes(options.session, request.volumePath),
  );
  try {
    if (besides(options) === undefined) await attributes.found();
    await restoreTree(options, request, totalBytes);
    await attributes.apply();
  } finally {
    await attributes.release();
  }
  await options.flush(request.volumePath, request.signal);
  request.onProgress({ totalBytes, doneBytes: totalBytes });
  return { totalBytes, files: manifest.files };
}

/**
 * The snapshot of a block volume is no tree: kopia would put the whole device into the volume as one file and report success.
 * Only a snapshot of one file can be such a snapshot, so no other needs the check. @throws SNAPSHOT_INVALID
 */
export async function mustBeOfFiles(
  { snapshotID }: DownloadRequest,
  { files, rootObject }: SnapshotManifest,
  read: (objectId: string) => Promise<string>,
): Promise<void> {
  if (files !== 1 || !isObjectId(rootObject)) return;
  if (parseOnlyFile(await read(rootObject))?.name.includes('/') !== true) return;
  throw new AppError('SNAPSHOT_INVALID', `snapshot ${snapshotID} is that of a block volume`, {
    nextStep: 'Restore it into a claim with volumeMode Block.',
  });
}

async function shown(
  { session }: KopiaUploaderOptions,
  { snapshotID, signal }: DownloadRequest,
  objectId: string,
): Promise<string> {
  const exit = await session.run(['show', objectId], { signal });
  signal.throwIfAborted();
  if (exit.exitCode !== 0) throw session.failure(exit, `reading snapshot ${snapshotID}`, downloadFailures);
  return exit.stdout;
}

async function restoreTree(options: KopiaUploaderOptions, request: DownloadRequest, totalBytes: number): Promise<void> {
  const { session } = options;
  const words = kopiaWords(options);
  const onStderr = outputLines((line) => {
    const progress = parseRestoreProgress(line);
    if (progress === undefined) return words.take(line);
    request.onProgress({ totalBytes, doneBytes: Math.min(progress.restored.bytes, totalBytes) });
  }).push;
  const exit = await session.run(downloadArgs(request, options), { onStderr, signal: request.signal });
  request.signal.throwIfAborted();
  if (exit.exitCode !== 0) {
    throw session.failure(exit, `restoring snapshot ${request.snapshotID} to ${request.volumePath}`, downloadFailures);
  }
  words.tell(request);
}

/** Checks, before the volume is touched, that the snapshot exists and is complete, and returns its size. */
export async function lookUp(options: KopiaUploaderOptions, request: DownloadRequest): Promise<SnapshotManifest> {
  const { snapshotID, signal } = request;
  return await checkedSnapshot(snapshotID, async () => {
    const exit = await options.session.run(['manifest', 'show', snapshotID], { signal });
    signal.throwIfAborted();
    if (exit.exitCode !== 0) {
      throw options.session.failure(exit, `looking up snapshot ${snapshotID}`, snapshotLookupFailures);
    }
    return parseManifestShow(exit.stdout, snapshotID);
  });
}

/** The manifest that `read` finds. @throws SNAPSHOT_INVALID for a malformed ID, and for an incomplete snapshot */
export async function checkedSnapshot(
  snapshotID: string,
  read: () => Promise<SnapshotManifest>,
): Promise<SnapshotManifest> {
  if (!manifestId.test(snapshotID)) {
    throw new AppError('SNAPSHOT_INVALID', `"${snapshotID}" is not the ID of a kopia snapshot`, {
      nextStep: 'spec.snapshotID has to be the status.snapshotID of a completed DataUpload.',
    });
  }
  const manifest = await read();
  if (manifest.incomplete === undefined) return manifest;
  throw new AppError('SNAPSHOT_INVALID', `snapshot ${snapshotID} is incomplete (${manifest.incomplete})`, {
    nextStep: 'Restore from an earlier or later backup.',
  });
}
