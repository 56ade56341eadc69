import { join } from 'node:path';
import { type FileState, isPlain, runOf } from '@lateen/changed-files';
import { isAppError } from '@lateen/errors';
import { type DataRun, fileExtents } from '@lateen/file-extents';
import type { LargeFile } from '@lateen/repository';
import type { Program, Programs } from '../attributes/programs.ts';

export interface ReadStates {
  programs: Programs;
  volumePath: string;
  fileSystem: string;
  signal: AbortSignal;
}

/**
 * What was made with this file system alone: of xfs the time at which its root was made, which a change of the UUID keeps (copies
 * need another one to be mounted beside the original), of ext4 the number that the kernel makes of the UUID. Undefined if it tells none.
 */
export async function readFileSystemID(options: ReadStates): Promise<string | undefined> {
  const what = options.fileSystem === 'xfs' ? ['-c', '%w'] : ['-f', '-c', '%i'];
  const text = (await printed(options, 'stat', [...what, options.volumePath]))?.trim() ?? '';
  return /^[-0]*$/.test(text) ? undefined : text.slice(0, idLengthMax);
}

/** Longer than any time. */
const idLengthMax = 64;

/** Runs of one file that are in memory; a file with more is read as a whole. */
const runsMax = 50_000;

/**
 * The map of a file of a mounted snapshot; undefined if the file has none, has too many extents, or has attributes by which its
 * bytes may be elsewhere. @throws the signal's reason on abort
 */
export async function readFileState(options: ReadStates, file: LargeFile): Promise<FileState | undefined> {
  const { volumePath, fileSystem, signal } = options;
  const path = join(volumePath, file.path);
  const attributes =
    fileSystem === 'xfs'
      ? await printed(options, 'xfs_io', ['-r', '-c', 'lsattr', path])
      : await printed(options, 'lsattr', ['-d', path]);
  if (attributes === undefined || !isPlain(fileSystem, attributes.split(' ', 1)[0] ?? '')) return undefined;
  const runs: DataRun[] = [];
  const run = (args: readonly string[]) => printed(options, 'xfs_io', args);
  try {
    for await (const extent of fileExtents(run, path, { startBytes: 0, endBytes: file.sizeBytes })) {
      if ('unknownFrom' in extent || runs.length >= runsMax) return undefined;
      append(runs, runOf(extent));
    }
  } catch (error) {
    signal.throwIfAborted();
    if (isAppError(error, 'FILE_MAP_INVALID')) return undefined;
    throw error;
  }
  return { path: file.path, sizeBytes: file.sizeBytes, mtimeNs: file.mtimeNs, runs };
}

/** File systems cut what lies side by side into several extents. */
function append(runs: DataRun[], run: DataRun): void {
  const last = runs.at(-1);
  const joins =
    last?.endBytes === run.startBytes &&
    (last.home === undefined ? run.home === undefined : last.home + last.endBytes - last.startBytes === run.home);
  if (joins) last.endBytes = run.endBytes;
  else runs.push({ ...run });
}

/** What a program printed; undefined if it failed, which is as good as no map. */
async function printed(
  { programs, signal }: ReadStates,
  program: Program,
  args: readonly string[],
): Promise<string | undefined> {
  const pieces: Uint8Array[] = [];
  const exit = await programs.run(program, {
    args,
    signal,
    onStdout: async (piece) => void pieces.push(Uint8Array.from(piece)),
  });
  signal.throwIfAborted();
  return exit.exitCode === 0 ? Buffer.concat(pieces).toString('utf8') : undefined;
}
