import type { DownloadRequest, UploadRequest } from '@lateen/datapath';
import { ownerText } from '@lateen/repository';
import type { KopiaUploaderOptions } from './kopia-uploader-options.ts';

/** How often kopia prints where it is; callers see progress at least once a second (datapath, `Uploader`). */
const progressFlags = ['--progress', '--progress-update-interval=500ms'] as const;

/** Bounds `ParallelFilesUpload` and `ParallelFilesDownload`: each parallel file costs kopia buffers of several MiB. */
export const parallelFilesMax = 256;

/** What a run may use; see KopiaUploaderOptions. */
export type FilesBudget = Pick<KopiaUploaderOptions, 'parallelFiles' | 'parallelMax' | 'checkpointSeconds'>;

/**
 * Arguments of `kopia snapshot create` for one volume (data-movement.md section 9, "Snapshot manifest" and "Policy").
 * `attributesArg` is, or leads to, its attribute manifest. `ReadUnchangedFiles` reads files, too, whose size and time are those of the last snapshot.
 */
export function uploadArgs(request: UploadRequest, budget: FilesBudget, attributesArg: string | undefined): string[] {
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
    ...(attributesArg === undefined ? [] : [attributesArg]),
    parallelFlag(request.config.ParallelFilesUpload, budget),
    ...(request.config.ReadUnchangedFiles === 'true' ? ['--force-hash=100'] : []),
    ...(checkpointSeconds === undefined ? [] : [`--checkpoint-interval=${checkpointSeconds}s`]),
    // What vanishes from a volume in use is told of each file, and must not end the run.
    ...(source.isLive === true ? [] : ['--fail-fast']),
    '--no-send-snapshot-report',
    '--json',
    '--json-verbose',
    ...progressFlags,
  ];
}

/**
 * Arguments of `kopia restore`: what is there is overwritten, what the snapshot lacks is left alone. Into a volume that has data,
 * `SkipUnchangedFiles` leaves files of the same size and time as they are, and `DeleteExtraFiles` deletes what the snapshot lacks.
 */
export function downloadArgs(request: DownloadRequest, budget: FilesBudget): string[] {
  return [
    'restore',
    request.snapshotID,
    request.volumePath,
    // Without it a directory whose name ends in .zip or .tar would become an archive.
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

/** What `ParallelFilesUpload` or `ParallelFilesDownload` asks for; undefined for anything but a positive whole number. */
export function wantedParallel(configured: string | undefined): number | undefined {
  const wanted = Number(configured);
  return Number.isInteger(wanted) && wanted > 0 ? wanted : undefined;
}

/** A positive whole number of the config, else what the budget says; never more than memory allows. */
function parallelFlag(configured: string | undefined, budget: FilesBudget): string {
  const { parallelFiles, parallelMax = parallelFilesMax } = budget;
  const parallel = wantedParallel(configured) ?? parallelFiles;
  return `--parallel=${Math.min(Math.max(parallel, 1), parallelMax, parallelFilesMax)}`;
}
