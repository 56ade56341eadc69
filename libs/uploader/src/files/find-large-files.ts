import { lstat } from 'node:fs/promises';
import { join } from 'node:path';
import type { LargeFile } from '@lateen/repository';
import { rootOf, type Scanned, scan } from '../attributes/scan-programs.ts';

/** Files that are looked at, the largest ones: each takes two short runs of programs. */
export const largeFilesMax = 2_000;

/** Paths that are in memory while the largest are chosen. */
const pathsMax = 100_000;

/**
 * The files of the volume that have at least `minBytes`, the largest first, and at most {@link largeFilesMax}. Files whose path
 * is not UTF-8 are left out, and so are all beyond the first 100,000.
 * @throws UPLOADER_SOURCE_UNREADABLE, SCAN_BAD_ANSWER; the signal's reason on abort
 */
export async function findLargeFiles(options: Scanned, minBytes: number): Promise<LargeFile[]> {
  const paths: string[] = [];
  const tests = ['-xdev', '-type', 'f', '-size', `+${minBytes - 1}c`];
  await scan(options, {
    program: 'find',
    args: [rootOf(options), '-ignore_readdir_race', ...tests, '-printf', '%P\\0'],
    separator: '\0',
    onItem: (path) => {
      const text = utf8(path);
      if (text !== undefined && paths.length < pathsMax) paths.push(text);
    },
  });
  const files: LargeFile[] = [];
  for (const path of paths) files.push(await largeFile(options.volumePath, path));
  return files.sort((a, b) => b.sizeBytes - a.sizeBytes).slice(0, largeFilesMax);
}

/** Undefined for bytes that are no UTF-8: kopia stores such a name in another form. */
function utf8(path: string): string | undefined {
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(Buffer.from(path, 'latin1'));
  } catch {
    return undefined;
  }
}

async function largeFile(volumePath: string, path: string): Promise<LargeFile> {
  const { size, mtimeNs, mode, uid, gid } = await lstat(join(volumePath, path), { bigint: true });
  return { path, sizeBytes: Number(size), mtimeNs, mode: Number(mode) & 0o7777, uid: Number(uid), gid: Number(gid) };
}
