import { isAppError } from '@lateen/errors';
import { type DataRun, type FileExtent, fileExtents } from '@lateen/file-extents';
import { type Host, runQuick } from '../host/host.ts';

/**
 * The runs of a file that have data, from `startBytes` to `sizeBytes`, ascending. The file does not change meanwhile. Where the file
 * system cannot say, the whole of it is one run with no home: a full answer. Areas that were set aside but never written are left out:
 * they read as zeros.
 * @throws AppError `COMMAND_FAILED`, `FILE_MAP_INVALID`
 */
export async function* dataRuns(
  host: Host,
  file: string,
  { startBytes, sizeBytes }: { startBytes: number; sizeBytes: number },
  signal: AbortSignal,
): AsyncGenerator<DataRun> {
  const run = (args: readonly string[]) => xfsIo(host, args, signal);
  for await (const extent of fileExtents(run, file, { startBytes, endBytes: sizeBytes })) {
    if ('unknownFrom' in extent) yield { startBytes: extent.unknownFrom, endBytes: sizeBytes, home: undefined };
    else if (!extent.isUnwritten) yield dataRun(extent);
  }
}

/** Only shared blocks cannot change under a file. */
export const dataRun = ({ startBytes, endBytes, physicalBytes, isShared }: FileExtent): DataRun => ({
  startBytes,
  endBytes,
  home: isShared ? physicalBytes : undefined,
});

/** Undefined: this file system has no such map. */
async function xfsIo(host: Host, args: readonly string[], signal: AbortSignal): Promise<string | undefined> {
  try {
    return (await runQuick(host, signal, 'xfs_io', [...args])).stdout;
  } catch (error) {
    if (!isAppError(error, 'COMMAND_FAILED') || !/not supported/i.test(String(error.details.stderr))) throw error;
    return undefined;
  }
}
