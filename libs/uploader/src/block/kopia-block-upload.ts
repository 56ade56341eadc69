import { outputLines } from '@lateen/child-process';
import type { UploadRequest, UploadResult } from '@lateen/datapath';
import { AppError } from '@lateen/errors';
import { ownerText, splitterOf } from '@lateen/repository';
import type { KopiaUploaderOptions } from '../kopia-uploader-options.ts';
import { kopiaWords } from '../kopia-words.ts';
import { parseSnapshotJson, tryParseSnapshotJson } from '../snapshot-manifest.ts';
import { settleSplitter } from '../splitter/settle-splitter.ts';
import { uploadFailures } from '../volume-failures.ts';
import type { FullRead } from './block-splice.ts';
import { splicedUpload } from './spliced-upload.ts';
import { streamDevice } from './stream-device.ts';

/**
 * Makes one snapshot of a block device: a virtual directory with one streamed file of the device's name and size
 * (data-movement.md section 9, "Block mode"). The whole device is read unless the changes are known (`blockSplice`).
 * `incrementalBytes` is the number of bytes read from the device. See `Uploader.upload` for abort and errors; reading errors are
 * BLOCK_READ_FAILED.
 */
export async function kopiaBlockUpload(options: KopiaUploaderOptions, request: UploadRequest): Promise<UploadResult> {
  const { session, log } = options;
  const wish = { told: splitterOf(request.config) ?? options.blockSplitter, volumeMode: request.volumeMode };
  const { signal } = request;
  const policy = await settleSplitter({ session, sourcePath: request.source.path, wish, log, signal });
  const spliced = await splicedUpload(options, request, policy ?? { splitter: undefined, isUsed: false });
  if (spliced?.kind === 'spliced') return spliced.result;
  const result = await wholeUpload(options, request, spliced?.allocated);
  if (spliced === undefined) return result;
  log.info({ reason: spliced.reason }, 'the volume was read as a whole, not only what has changed');
  const { reason: fullReadReason, differsAt } = spliced;
  const difference = differsAt === undefined ? {} : { differsAt };
  return { ...result, readReport: { readBytes: result.incrementalBytes, fullReadReason, ...difference } };
}

async function wholeUpload(
  options: KopiaUploaderOptions,
  request: UploadRequest,
  allocated: FullRead['allocated'],
): Promise<UploadResult> {
  const { session, log } = options;
  const { volumePath, signal } = request;
  const words = kopiaWords(options);
  const onStderr = outputLines((line) => words.take(line)).push;
  const streamed = await streamDevice({ ...options.block, log, allocated }, request, (input) =>
    session.run(blockUploadArgs(request), { ...input, onStderr }),
  );
  const { exit, sizeBytes, readBytes, failure } = streamed;
  const doing = `uploading block device ${volumePath}`;
  try {
    signal.throwIfAborted();
    if (failure !== undefined) throw failure;
    if (exit.exitCode !== 0) throw session.failure(exit, doing, uploadFailures);
    const { id, totalBytes, incomplete, failedEntries } = parseSnapshotJson(exit.stdout);
    if (incomplete !== undefined || failedEntries > 0 || totalBytes !== sizeBytes) {
      const why = incomplete ?? `${totalBytes} of ${sizeBytes} bytes are in it`;
      throw new AppError('UPLOADER_INCOMPLETE', `${doing}: the snapshot is incomplete (${why})`, { retry: 'later' });
    }
    words.tell(request);
    request.onProgress({ totalBytes, doneBytes: totalBytes });
    return { snapshotID: id, totalBytes, incrementalBytes: readBytes };
  } catch (error) {
    await discard(options, tryParseSnapshotJson(exit.stdout)?.id);
    throw error;
  }
}

export function blockUploadArgs({ volumePath, source }: UploadRequest): string[] {
  return [
    'snapshot',
    'create',
    volumePath,
    `--stdin-file=${volumePath}`,
    `--override-source=${ownerText}:${source.path}`,
    '--description=Kopia Uploader',
    '--pin=velero-pin',
    ...Object.entries(source.tags).map(([key, value]) => `--tags=${key}:${value}`),
    '--fail-fast',
    '--no-send-snapshot-report',
    '--json',
    '--json-verbose',
    '--no-progress',
  ];
}

/**
 * Deletes a snapshot that nothing will refer to. Best effort: a snapshot that stays only costs space until the repository is
 * deleted.
 */
async function discard(options: KopiaUploaderOptions, snapshotID: string | undefined): Promise<void> {
  if (snapshotID === undefined) return;
  const signal = options.clock.deadline(options.discardMs);
  const exit = await options.session.run(['snapshot', 'delete', snapshotID, '--delete'], { signal });
  if (exit.exitCode === 0) return;
  options.log.warn({ snapshotID }, 'cannot delete the snapshot of an upload that did not end well');
}
