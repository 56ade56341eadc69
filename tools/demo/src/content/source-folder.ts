import { execFileSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { join } from 'node:path';

/** A tree of real files on this machine that is big enough for the demo. */
export interface SourceFolder {
  path: string;
  files: number;
}

export const filesMin = 10_000;

/**
 * The first folder with at least {@link filesMin} files: the Go distribution, the machine's Node distribution, or this checkout's own
 * dependencies.
 * @throws with the folders that were searched when there is none
 */
export function findSourceFolder(root: string): SourceFolder {
  const candidates = [
    goRoot(),
    join(process.execPath, '..', '..', 'lib'),
    '/usr/lib/node_modules',
    join(root, 'node_modules'),
  ].filter((path): path is string => path !== undefined && existsSync(path));
  for (const path of candidates) {
    const files = countFiles(path);
    if (files >= filesMin) return { path, files };
  }
  throw new Error(
    `the demo needs a directory with at least ${filesMin} files, and none of these is one: ${candidates.join(', ')}. Name another one with --source.`,
  );
}

export function countFiles(path: string): number {
  const listing = execFileSync('find', [path, '-type', 'f', '-printf', '.'], { maxBuffer: 1 << 28 });
  return listing.length;
}

function goRoot(): string | undefined {
  try {
    return execFileSync('go', ['env', 'GOROOT'], { encoding: 'utf8' }).trim();
  } catch {
    // Without Go on this machine the next candidate is used.
    return undefined;
  }
}
