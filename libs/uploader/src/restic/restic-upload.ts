import type { UploadRequest, UploadResult } from '@lateen/datapath';
import type { ResticRun } from '@lateen/repository';
import type { LiveFiles } from '../live/live-files.ts';
import { namedParentOf, tellUnusedParent, unknownParent } from '../named-parent.ts';
import { type BackupOutcome, backupListener } from './backup-listener.ts';
import { backupResult, isEmptyVolume } from './backup-result.ts';
import { changedTargets } from './changed-targets.ts';
import { backupArgs, listArgs, streamArgs, withoutEffect } from './restic-args.ts';
import { newestWith, parseSnapshots } from './restic-snapshot.ts';
import type { ResticUploaderOptions } from './restic-uploader-options.ts';
import { runRestic, whenUnlocked } from './run-restic.ts';
import { parentTags, snapshotTags } from './snapshot-tags.ts';
import { readVolumeRoot } from './volume-root.ts';

/**
 * A volume without files is stored as a snapshot of this file, as restic makes no snapshot of nothing; the file is never
 * restored.
 */
const emptyVolume = { file: 'this-volume-was-empty', content: 'The volume of this snapshot was empty.\n' } as const;

/**
 * Makes one snapshot of a directory; `live` receives what vanishes from a volume in use. See `Uploader.upload` for abort and
 * errors.
 */
export async function resticUpload(
  options: ResticUploaderOptions,
  request: UploadRequest,
  live?: LiveFiles | undefined,
): Promise<UploadResult> {
  for (const ignored of withoutEffect(request.config)) options.log.info(ignored, 'a data mover setting has no effect');
  const doing = `uploading ${request.volumePath}`;
  const { source, volumePath, volumeMode, signal } = request;
  const parent = await findParent(options, request);
  options.log.info({ parent }, parent === undefined ? 'everything is read' : 'only what changed is read');
  const root = await readVolumeRoot(volumePath);
  const warning = await changedTargets({ programs: options.programs, volumePath, signal });
  const args = backupArgs(snapshotTags(source, volumeMode, { root }), parent, options);
  const outcome = await backup(options, request, args, { cwd: volumePath, live });
  if (!isEmptyVolume(outcome)) {
    const result = await backupResult(options, request, outcome, { doing });
    if (warning !== undefined) {
      options.log.warn({ snapshotID: result.snapshotID }, warning);
      request.onWarning?.(warning);
    }
    return result;
  }
  signal.throwIfAborted();
  const marker = streamArgs(snapshotTags(source, volumeMode, { root, empty: true }), emptyVolume.file, options);
  const quiet = { ...request, onProgress: () => {} };
  const marked = await backup(options, quiet, marker, { stdin: emptyVolume.content });
  const { snapshotID } = await backupResult(options, quiet, marked, { doing });
  request.onProgress({ totalBytes: 0, doneBytes: 0 });
  return { snapshotID, totalBytes: 0, incrementalBytes: 0 };
}

function backup(
  options: ResticUploaderOptions,
  { onProgress, signal }: UploadRequest,
  args: readonly string[],
  { live, ...run }: Pick<ResticRun, 'cwd' | 'stdin'> & { live?: LiveFiles | undefined },
): Promise<BackupOutcome> {
  return whenUnlocked(options, signal, async () => {
    const listener = backupListener(options, onProgress, live);
    return listener.outcome(await options.session.run(args, { ...run, ...listener.streams, signal }));
  });
}

/**
 * The named snapshot of the same volume, or the newest one; it is passed to restic by ID, because each mover sees the volume at another path.
 * Undefined when unchanged files have to be read too.
 */
async function findParent(options: ResticUploaderOptions, request: UploadRequest): Promise<string | undefined> {
  if (request.config.ReadUnchangedFiles === 'true') return undefined;
  const tags = parentTags(request.source, request.volumeMode);
  const { signal } = request;
  const exit = await runRestic(options, listArgs(tags), { signal });
  signal.throwIfAborted();
  if (exit.exitCode !== 0) throw options.session.failure(exit, 'looking for the previous snapshot');
  const snapshots = parseSnapshots(exit.stdout);
  const named = namedParentOf(request);
  if (named === undefined) return newestWith(snapshots, tags)?.id;
  const parent = newestWith(
    snapshots.filter(({ id }) => id === named),
    tags,
  );
  if (parent === undefined) tellUnusedParent(request, unknownParent(named), options.log);
  return parent?.id;
}
