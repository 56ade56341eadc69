import { outputLines } from '@lateen/child-process';
import type { DownloadRequest, UploadRequest, UploadResult } from '@lateen/datapath';
import { AppError } from '@lateen/errors';
import { fillDevice } from '../block/fill-device.ts';
import { streamDevice } from '../block/stream-device.ts';
import type { EngineDownloadResult } from '../kopia-download.ts';
import { backupListener } from './backup-listener.ts';
import { backupResult } from './backup-result.ts';
import { contentArgs, dumpArgs, streamArgs } from './restic-args.ts';
import { lookUpSnapshot } from './restic-download.ts';
import type { ResticUploaderOptions } from './restic-uploader-options.ts';
import { downloadFailures } from './restic-volume-failures.ts';
import { resticWords } from './restic-words.ts';
import { runRestic, whenUnlocked } from './run-restic.ts';
import { parseNode, type SnapshotNode } from './snapshot-node.ts';
import { snapshotTags } from './snapshot-tags.ts';

/** The name of the device's file in its snapshot. */
const deviceFile = 'volume';

/**
 * Makes one snapshot of a block device: one file with its bytes, in which ranges that a clean file system does not use are
 * zeroes. restic reads all of it each time and stores only what it does not have. See `Uploader.upload` for abort and errors.
 */
export async function resticBlockUpload(options: ResticUploaderOptions, request: UploadRequest): Promise<UploadResult> {
  const { session, log, block } = options;
  const { source, volumeMode, volumePath, signal } = request;
  const args = streamArgs(snapshotTags(source, volumeMode), deviceFile, options);
  const { outcome, sizeBytes, failure } = await whenUnlocked(options, signal, async () => {
    // Progress counts the bytes read from the device, not what restic reports.
    const listener = backupListener(options, () => {});
    const streamed = await streamDevice({ ...block, log }, request, (input) =>
      session.run(args, { ...input, ...listener.streams }),
    );
    return { ...streamed, outcome: listener.outcome(streamed.exit) };
  });
  const doing = `uploading block device ${volumePath}`;
  return backupResult(options, request, outcome, { doing, flaw: failure ?? cut(doing, sizeBytes, outcome.summary) });
}

/** Restores the file of such a snapshot to a block device, from offset 0. See `Uploader.download` for abort and errors. */
export async function resticBlockDownload(
  options: ResticUploaderOptions,
  request: DownloadRequest,
): Promise<EngineDownloadResult> {
  const { session, log, block } = options;
  const { signal, volumePath } = request;
  const { id } = await lookUpSnapshot(options, request);
  const { path, sizeBytes: totalBytes } = await onlyFile(options, id, signal);
  const words = resticWords(options);
  const onStderr = outputLines((line) => words.take(line)).push;
  const figures = await fillDevice({ ...block, log }, request, totalBytes, async (onStdout) => {
    const exit = await runRestic(options, dumpArgs(id, path), { onStdout, onStderr, signal });
    signal.throwIfAborted();
    const doing = `restoring snapshot ${id} to block device ${volumePath}`;
    if (exit.exitCode !== 0) throw session.failure(exit, doing, downloadFailures);
  });
  words.tell(request);
  request.onProgress({ totalBytes, doneBytes: totalBytes });
  return { totalBytes, figures };
}

function cut(doing: string, sizeBytes: number, summary: { totalBytes: number } | undefined): AppError | undefined {
  if (summary === undefined || summary.totalBytes === sizeBytes) return undefined;
  const message = `${doing}: the snapshot is not whole (${summary.totalBytes} of ${sizeBytes} bytes are in it)`;
  return new AppError('UPLOADER_INCOMPLETE', message, { retry: 'later' });
}

async function onlyFile(options: ResticUploaderOptions, id: string, signal: AbortSignal): Promise<SnapshotNode> {
  const doing = `reading snapshot ${id}`;
  const exit = await runRestic(options, contentArgs(id), { signal });
  signal.throwIfAborted();
  if (exit.exitCode !== 0) throw options.session.failure(exit, doing, downloadFailures);
  const lines = exit.stdout.split('\n').filter((line) => line !== '');
  const nodes = lines.map(parseNode).filter((node) => node !== undefined);
  const [file] = nodes;
  if (file?.type === 'file' && nodes.length === 1) return file;
  throw new AppError('SNAPSHOT_INVALID', `snapshot ${id} is not that of a block volume`, {
    nextStep: 'Restore it into a claim with volumeMode Filesystem.',
  });
}
