import { outputLines } from '@lateen/child-process';
import type { DownloadRequest, DownloadResult } from '@lateen/datapath';
import { AppError } from '@lateen/errors';
import type { EngineExit } from '@lateen/repository';
import { clearWay } from './clear-way.ts';
import { restoreArgs, showArgs, sizeArgs, withoutEffect } from './restic-args.ts';
import { parseSnapshots, type ResticSnapshot } from './restic-snapshot.ts';
import type { ResticUploaderOptions } from './restic-uploader-options.ts';
import { downloadFailures, hopeless } from './restic-volume-failures.ts';
import { resticWords } from './restic-words.ts';
import { runRestic } from './run-restic.ts';
import { readTags } from './snapshot-tags.ts';
import { applyVolumeRoot } from './volume-root.ts';

/** restic's snapshot IDs, short or long. restic could take anything else for "latest" or for a path. */
const snapshotIdPattern = /^[0-9a-f]{8,64}$/;

/** How often the used size of the volume is read to estimate the progress of a restore. */
const lookMs = 1_000;

/** Restores one snapshot into a directory. See `Uploader.download` for abort and errors. */
export async function resticDownload(
  options: ResticUploaderOptions,
  request: DownloadRequest,
): Promise<DownloadResult> {
  const { volumePath, snapshotID, signal } = request;
  const doing = `restoring snapshot ${snapshotID} to ${volumePath}`;
  const snapshot = await lookUpSnapshot(options, request);
  const { empty, root } = readTags(snapshot.tags);
  for (const ignored of withoutEffect(request.config)) options.log.info(ignored, 'a data mover setting has no effect');
  const totalBytes = empty ? 0 : await restoreSize(options, snapshot.id, signal);
  if (!empty) {
    await clearWay(options, request, snapshot.id);
    const exit = await restore(options, request, { id: snapshot.id, totalBytes });
    signal.throwIfAborted();
    if (exit.exitCode !== 0) throw options.session.failure(exit, doing, downloadFailures);
  }
  if (root !== undefined) await giveRoot(options, volumePath, root);
  await options.flush(volumePath, signal);
  request.onProgress({ totalBytes, doneBytes: totalBytes });
  return { totalBytes };
}

/** Checks, before the volume is touched, that the snapshot exists and is of this kind of volume. */
export async function lookUpSnapshot(
  options: ResticUploaderOptions,
  request: DownloadRequest,
): Promise<ResticSnapshot> {
  const { snapshotID, signal, volumeMode } = request;
  if (!snapshotIdPattern.test(snapshotID)) {
    throw new AppError('SNAPSHOT_INVALID', `"${snapshotID}" is not the ID of a restic snapshot`, {
      nextStep: 'spec.snapshotID has to be the status.snapshotID of a completed DataUpload of the same UploaderType.',
    });
  }
  const doing = `looking up snapshot ${snapshotID}`;
  const exit = await runRestic(options, showArgs(snapshotID), { signal });
  signal.throwIfAborted();
  if (exit.exitCode !== 0) throw options.session.failure(exit, doing);
  const [found] = parseSnapshots(exit.stdout);
  if (found === undefined) {
    throw new AppError(
      'SNAPSHOT_NOT_FOUND',
      `${doing}: the repository has no such snapshot: ${options.session.where}`,
      {
        nextStep: 'It may have been deleted with its Backup, or belong to another namespace or another UploaderType.',
      },
    );
  }
  const { mode } = readTags(found.tags);
  if (mode === volumeMode) return found;
  throw new AppError('SNAPSHOT_INVALID', `snapshot ${snapshotID} is of a volume of mode ${mode}, not ${volumeMode}`, {
    nextStep: 'Restore it to a PersistentVolumeClaim with the volumeMode of the source.',
  });
}

async function restoreSize(options: ResticUploaderOptions, id: string, signal: AbortSignal): Promise<number> {
  const exit = await runRestic(options, sizeArgs(id), { signal });
  signal.throwIfAborted();
  if (exit.exitCode !== 0) throw options.session.failure(exit, `measuring snapshot ${id}`, downloadFailures);
  const [, digits] = /"total_size":(\d+)/.exec(exit.stdout) ?? [];
  if (digits !== undefined) return Number(digits);
  throw new AppError('UPLOADER_BAD_ANSWER', `restic did not say how big snapshot ${id} is`, { retry: 'later' });
}

async function restore(
  options: ResticUploaderOptions,
  request: DownloadRequest,
  snapshot: { id: string; totalBytes: number },
): Promise<EngineExit> {
  const done = new AbortController();
  const giveUp = new AbortController();
  const words = resticWords(options);
  const onStderr = outputLines((line) => {
    words.take(line);
    if (hopeless.test(line)) giveUp.abort(new AppError('UPLOADER_GIVES_UP', 'nothing more can be restored'));
  }).push;
  const watching = watchGrowth(options, request, snapshot.totalBytes, done.signal);
  try {
    const exit = await runRestic(options, restoreArgs({ ...request, snapshotID: snapshot.id }, options), {
      onStderr,
      signal: AbortSignal.any([request.signal, giveUp.signal]),
    });
    if (exit.exitCode === 0) words.tell(request);
    return exit;
  } finally {
    done.abort();
    await watching;
  }
}

/** Reports how much the volume has grown. An estimate: files that existed before are not counted, and metadata is. */
async function watchGrowth(
  options: ResticUploaderOptions,
  request: DownloadRequest,
  totalBytes: number,
  done: AbortSignal,
): Promise<void> {
  try {
    const before = await options.usedBytes(request.volumePath);
    while (!done.aborted) {
      const grown = (await options.usedBytes(request.volumePath)) - before;
      if (!done.aborted) request.onProgress({ totalBytes, doneBytes: Math.min(Math.max(grown, 0), totalBytes) });
      await options.clock.sleep(lookMs, done);
    }
  } catch (error) {
    if (!done.aborted) options.log.debug({ err: error }, 'cannot see how far the restore is');
  }
}

/** A failure here does not fail the restore: everything in the volume is restored. */
async function giveRoot(options: ResticUploaderOptions, volumePath: string, root: string): Promise<void> {
  await applyVolumeRoot(volumePath, root).catch((error: unknown) => {
    options.log.warn({ err: error, volumePath }, 'mode and owner of the root of the volume could not be set');
  });
}
