import { type FileExtent, parseFiemap } from './parse-fiemap.ts';

/** Lines of one answer, 70 bytes each: what is in memory at a time, and well below what a program may print. */
export const linesMax = 4_096;

/** Runs `xfs_io` with these arguments and returns its standard output; undefined if the file system has no map. */
export type RunXfsIo = (args: readonly string[]) => Promise<string | undefined>;

/**
 * The extents of a file from `startBytes` to `endBytes`, in ascending order, cut at both. The file must not change meanwhile. If the
 * file system has no map, the last value says from which byte on nothing is known.
 * @throws AppError `FILE_MAP_INVALID`; what `run` throws
 */
export async function* fileExtents(
  run: RunXfsIo,
  file: string,
  { startBytes, endBytes }: { startBytes: number; endBytes: number },
): AsyncGenerator<FileExtent | { unknownFrom: number }> {
  for (let at = startBytes; at < endBytes; ) {
    const stdout = await run(['-r', '-c', `fiemap -v -n ${linesMax} ${at} ${endBytes - at}`, file]);
    if (stdout === undefined) return yield { unknownFrom: at };
    const map = parseFiemap(stdout);
    for (const extent of map.extents) {
      const cut = clip(extent, at, endBytes);
      if (cut.startBytes < cut.endBytes) yield cut;
    }
    if (map.lines < linesMax) return;
    at = Math.max(map.endBytes, at + 1);
  }
}

/** A file system may answer with the whole extent that the start lies in. */
function clip(extent: FileExtent, from: number, to: number): FileExtent {
  const startBytes = Math.max(extent.startBytes, from);
  const { physicalBytes } = extent;
  return {
    ...extent,
    startBytes,
    endBytes: Math.min(extent.endBytes, to),
    physicalBytes: physicalBytes === undefined ? undefined : physicalBytes + startBytes - extent.startBytes,
  };
}
