import type { DataPathProgress } from '@lateen/datapath';

/** Every snapshot is of one host, so that all of a repository belong together (data-movement.md section 11). */
const host = '--host=velero';

/** Bounds `ParallelFilesDownload`: each connection holds a pack of 16 MiB. */
export const connectionsMax = 32;

const tagFlags = (tags: readonly string[]): string[] => tags.map((tag) => `--tag=${tag}`);

/** `restic backup` of the working directory. */
export function backupArgs(tags: readonly string[], parent: string | undefined): string[] {
  const from = parent === undefined ? '--force' : `--parent=${parent}`;
  return ['backup', '.', host, '--json', from, ...tagFlags(tags)];
}

/** `restic backup` of standard input as one file. */
export function streamArgs(tags: readonly string[], file: string): string[] {
  return ['backup', '--stdin', `--stdin-filename=${file}`, host, '--json', ...tagFlags(tags)];
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
  snapshotID: string,
  volumePath: string,
  config: Readonly<Record<string, string>>,
): string[] {
  const connections = connectionsOf(config.ParallelFilesDownload);
  return [
    'restore',
    snapshotID,
    `--target=${volumePath}`,
    ...(connections === undefined ? [] : [`--option=s3.connections=${connections}`]),
  ];
}

/** restic fills as many files at once as it has connections to the store. */
function connectionsOf(configured: string | undefined): number | undefined {
  const wanted = Number(configured);
  return Number.isInteger(wanted) && wanted > 0 ? Math.min(wanted, connectionsMax) : undefined;
}

/** What restic 0.14 cannot do of the data mover's configuration, and why; for the log. */
export function withoutEffect(config: Readonly<Record<string, string>>): { key: string; why: string }[] {
  return [
    { key: 'ParallelFilesUpload', why: 'this version of restic always reads two files at a time' },
    { key: 'WriteSparseFiles', why: 'this version of restic writes the holes of files as zeros' },
  ].filter(({ key }) => config[key] !== undefined && config[key] !== 'false');
}

/** A bar must not pass 100 % while restic still counts. */
export function progressOf(doneBytes: number, totalBytes: number): DataPathProgress {
  return totalBytes === 0 ? { doneBytes } : { totalBytes, doneBytes: Math.min(doneBytes, totalBytes) };
}
