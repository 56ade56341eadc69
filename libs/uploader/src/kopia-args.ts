import type { DownloadRequest, UploadRequest } from '@lateen/datapath';
import { ownerText } from '@lateen/repository';
import type { KopiaUploaderOptions } from './kopia-uploader-options.ts';

/** How often kopia prints its progress; callers get progress at least once a second (datapath, `Uploader`). */
const progressFlags = ['--progress', '--progress-update-interval=500ms'] as const;

/** Bounds `ParallelFilesUpload` and `ParallelFilesDownload`: each parallel file costs kopia buffers of several MiB. */
export const parallelFilesMax = 256;

/** Resources for a run; see KopiaUploaderOptions. */
export type FilesBudget = Pick<KopiaUploaderOptions, 'parallelFiles' | 'parallelMax' | 'checkpointSeconds'>;

/**
 * Arguments of `kopia snapshot create` for one volume (data-movement.md section 9, "Snapshot manifest" and "Policy").
 * `tagArgs` has its attribute manifest, or the key that leads to it, and the maps of its files. With `ReadUnchangedFiles`, files whose
 * size and time equal those of the last snapshot are read too.
 */
export function uploadArgs(request: UploadRequest, budget: FilesBudget, tagArgs: readonly string[]): string[] {
  const { source } = request;
  const { checkpointSeconds } = budget;
  return [
    'snapshot',
    'create',
    request.volumePath,
    `--override-source=${ownerText}:${source.path}`,
    '--description=Kopia Uploader',
    '--pin=velero-pin',
    ...Object.entries(source.tags).map(([key, value]) => `--tags=${key}:${value}`),
    ...tagArgs,
    parallelFlag(request.config.ParallelFilesUpload, budget),
    ...(request.config.ReadUnchangedFiles === 'true' ? ['--force-hash=100'] : []),
    ...(checkpointSeconds === undefined ? [] : [`--checkpoint-interval=${checkpointSeconds}s`]),
    // A file that vanishes from a volume in use is reported one by one, and must not end the run.
    ...(source.isLive === true ? [] : ['--fail-fast']),
    '--no-send-snapshot-report',
    '--json',
    '--json-verbose',
    ...progressFlags,
  ];
}

/**
 * Arguments of `kopia restore`: existing entries are overwritten, and entries that the snapshot lacks are kept. When the volume
 * has data, `SkipUnchangedFiles` keeps files of the same size and time as they are, and `DeleteExtraFiles` deletes what the
 * snapshot lacks.
 */
export function downloadArgs(request: DownloadRequest, budget: FilesBudget): string[] {
  return [
    'restore',
    request.snapshotID,
    request.volumePath,
    // Without this mode kopia would restore a directory whose name ends in .zip or .tar as an archive.
    '--mode=local',
    '--overwrite-directories',
    '--overwrite-files',
    '--overwrite-symlinks',
    '--ignore-permission-errors',
    parallelFlag(request.config.ParallelFilesDownload, budget),
    ...(request.config.WriteSparseFiles === 'true' ? ['--write-sparse-files'] : []),
    ...(request.config.SkipUnchangedFiles === 'true' ? ['--skip-existing'] : []),
    ...(request.config.DeleteExtraFiles === 'true' ? ['--delete-extra'] : []),
    ...progressFlags,
  ];
}

/** The value of `ParallelFilesUpload` or `ParallelFilesDownload`; undefined for anything but a positive whole number. */
export function wantedParallel(configured: string | undefined): number | undefined {
  const wanted = Number(configured);
  return Number.isInteger(wanted) && wanted > 0 ? wanted : undefined;
}

/** A positive whole number of the configuration, otherwise the budget's number; never more than memory allows. */
function parallelFlag(configured: string | undefined, budget: FilesBudget): string {
  const { parallelFiles, parallelMax = parallelFilesMax } = budget;
  const parallel = wantedParallel(configured) ?? parallelFiles;
  return `--parallel=${Math.min(Math.max(parallel, 1), parallelMax, parallelFilesMax)}`;
}
