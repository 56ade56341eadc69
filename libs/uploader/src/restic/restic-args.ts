import type { DataPathProgress, DownloadRequest } from '@lateen/datapath';
import type { ResticUploaderOptions } from './restic-uploader-options.ts';

/** All snapshots have the same host, so that restic groups all of a repository together (data-movement.md section 11). */
const host = '--host=velero';

/** Bounds `ParallelFilesDownload`: each connection holds a pack of 16 MiB. */
export const connectionsMax = 32;

/** Resources for a run. */
export type ResticBudget = Pick<ResticUploaderOptions, 'connectionsMax'>;

const tagFlags = (tags: readonly string[]): string[] => tags.map((tag) => `--tag=${tag}`);

/** restic's own default. */
const connectionsDefault = 5;

/** `restic backup` of the working directory. */
export function backupArgs(tags: readonly string[], parent: string | undefined, budget: ResticBudget): string[] {
  const from = parent === undefined ? '--force' : `--parent=${parent}`;
  return ['backup', '.', host, '--json', from, ...tagFlags(tags), ...connectionFlags(undefined, budget)];
}

/** `restic backup` of standard input as one file. */
export function streamArgs(tags: readonly string[], file: string, budget: ResticBudget): string[] {
  const flags = connectionFlags(undefined, budget);
  return ['backup', '--stdin', `--stdin-filename=${file}`, host, '--json', ...tagFlags(tags), ...flags];
}

/** The snapshots with all of these tags; looking needs no lock. */
export function listArgs(tags: readonly string[]): string[] {
  return ['snapshots', '--json', '--no-lock', host, `--tag=${tags.join(',')}`];
}

export const showArgs = (snapshotID: string): string[] => ['snapshots', '--json', '--no-lock', snapshotID];

export const contentArgs = (snapshotID: string): string[] => ['ls', '--json', '--no-lock', snapshotID];

export const dumpArgs = (snapshotID: string, path: string): string[] => ['dump', snapshotID, path];

export const sizeArgs = (snapshotID: string): string[] => [
  'stats',
  '--json',
  '--no-lock',
  '--mode=restore-size',
  snapshotID,
];

export function restoreArgs(
  { snapshotID, volumePath, config }: Pick<DownloadRequest, 'snapshotID' | 'volumePath' | 'config'>,
  budget: ResticBudget,
): string[] {
  const flags = connectionFlags(config.ParallelFilesDownload, budget);
  return ['restore', snapshotID, `--target=${volumePath}`, ...flags];
}

/** Connections to the store: each holds a pack, and a restore writes one file for each. */
function connectionFlags(configured: string | undefined, { connectionsMax: most }: ResticBudget): string[] {
  const wanted = Number(configured);
  const asked = Number.isInteger(wanted) && wanted > 0 ? wanted : connectionsDefault;
  const connections = Math.max(Math.min(asked, most ?? connectionsMax, connectionsMax), 1);
  return connections === connectionsDefault ? [] : [`--option=s3.connections=${connections}`];
}

/** Settings of the data mover's configuration that restic 0.14 does not support, and why; for the log. */
export function withoutEffect(config: Readonly<Record<string, string>>): { key: string; why: string }[] {
  return [
    { key: 'ParallelFilesUpload', why: 'this version of restic always reads two files at a time' },
    { key: 'WriteSparseFiles', why: 'this version of restic writes the holes of files as zeros' },
    { key: 'SkipUnchangedFiles', why: 'this version of restic writes every file' },
    { key: 'DeleteExtraFiles', why: 'this version of restic deletes no files' },
  ].filter(({ key }) => config[key] !== undefined && config[key] !== 'false');
}

/** Progress must not exceed 100 % while restic still counts. */
export function progressOf(doneBytes: number, totalBytes: number): DataPathProgress {
  return totalBytes === 0 ? { doneBytes } : { totalBytes, doneBytes: Math.min(doneBytes, totalBytes) };
}
