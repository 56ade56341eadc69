import { isAppError } from '@lateen/errors';
import { type Host, runQuick } from '../host/host.ts';
import type { DataRun } from './area.ts';
import { parseFileMap } from './parse-fiemap.ts';

/** Lines of one answer, 70 bytes each: what is held in memory, and well below what a program may print. */
export const linesMax = 4_096;

/**
 * The runs of a file that have data, from `startBytes` to `sizeBytes`, ascending. The file does not change meanwhile. Where the file
 * system cannot say, the whole of it is one run with no home: a full answer.
 */
export async function* dataRuns(
  host: Host,
  file: string,
  range: { startBytes: number; sizeBytes: number },
  signal: AbortSignal,
): AsyncGenerator<DataRun> {
  for (let at = range.startBytes; at < range.sizeBytes; ) {
    const map = await mapFrom(host, file, at, range.sizeBytes - at, signal);
    if (map === undefined) return yield { startBytes: at, endBytes: range.sizeBytes, home: undefined };
    for (const run of map.data) {
      const clipped = clip(run, at, range.sizeBytes);
      if (clipped.startBytes < clipped.endBytes) yield clipped;
    }
    if (map.lines < linesMax) return;
    at = Math.max(map.endBytes, at + 1);
  }
}

/** Undefined: this file system has no such map. */
async function mapFrom(host: Host, file: string, at: number, lengthBytes: number, signal: AbortSignal) {
  const command = `fiemap -v -n ${linesMax} ${at} ${lengthBytes}`;
  try {
    const { stdout } = await runQuick(host, signal, 'xfs_io', ['-r', '-c', command, file]);
    return parseFileMap(stdout);
  } catch (error) {
    if (!isAppError(error, 'COMMAND_FAILED') || !/not supported/i.test(String(error.details.stderr))) throw error;
    return undefined;
  }
}

/** A file system may answer with the whole run that the start lies in. */
function clip(run: DataRun, from: number, to: number): DataRun {
  const startBytes = Math.max(run.startBytes, from);
  const home = run.home === undefined ? undefined : run.home + startBytes - run.startBytes;
  return { startBytes, endBytes: Math.min(run.endBytes, to), home };
}
