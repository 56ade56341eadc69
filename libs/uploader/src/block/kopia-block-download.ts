import { outputLines } from '@lateen/child-process';
import type { DownloadRequest } from '@lateen/datapath';
import type { EngineExit, KnownFailure } from '@lateen/repository';
import { type EngineDownloadResult, lookUp } from '../kopia-download.ts';
import type { KopiaUploaderOptions } from '../kopia-uploader-options.ts';
import { kopiaWords } from '../kopia-words.ts';
import { downloadFailures } from '../volume-failures.ts';
import { fillDevice } from './fill-device.ts';
import { type FileEntry, isObjectId, mustBeOfDevice, parseOnlyFile } from './only-file.ts';

/**
 * Restores one snapshot to a block device: the only file of its root, whatever its name, from offset 0. See `Uploader.download`
 * for abort and errors; nothing has been written when it rejects with SNAPSHOT_… or BLOCK_DEVICE_….
 */
export async function kopiaBlockDownload(
  options: KopiaUploaderOptions,
  request: DownloadRequest,
): Promise<EngineDownloadResult> {
  const { session, log } = options;
  const { signal, snapshotID, volumePath } = request;
  const { rootObject } = await lookUp(options, request);
  const file = await onlyFile(options, request, rootObject);
  const { sizeBytes: totalBytes } = file;
  const words = kopiaWords(options);
  const onStderr = outputLines((line) => words.take(line)).push;
  const doing = `restoring snapshot ${snapshotID} to block device ${volumePath}`;
  const figures = await fillDevice({ ...options.block, log }, request, totalBytes, async (onStdout) => {
    const exit = await session.run(['show', file.objectId], { onStdout, onStderr, signal });
    mustHaveEnded(options, exit, { doing, signal, known: downloadFailures });
  });
  words.tell(request);
  request.onProgress({ totalBytes, doneBytes: totalBytes });
  return { totalBytes, figures };
}

async function onlyFile(
  options: KopiaUploaderOptions,
  { snapshotID, signal }: DownloadRequest,
  rootObject: string | undefined,
): Promise<FileEntry> {
  if (isObjectId(rootObject)) {
    const exit = await options.session.run(['show', rootObject], { signal });
    mustHaveEnded(options, exit, { doing: `reading snapshot ${snapshotID}`, signal, known: downloadFailures });
    return mustBeOfDevice(snapshotID, parseOnlyFile(exit.stdout));
  }
  return mustBeOfDevice(snapshotID, undefined);
}

function mustHaveEnded(
  { session }: KopiaUploaderOptions,
  exit: EngineExit,
  run: { doing: string; signal: AbortSignal; known: readonly KnownFailure[] },
): void {
  run.signal.throwIfAborted();
  if (exit.exitCode !== 0) throw session.failure(exit, run.doing, run.known);
}
