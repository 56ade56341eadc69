import { access, mkdir, open, rename } from 'node:fs/promises';
import { dirname } from 'node:path';
import { run } from '../host/run.ts';

/** Sparse: takes what the volumes in it take. */
const imageBytes = 64 * 1024 ** 3;

/**
 * The image of a disk that a node mounts where volumes are kept: XFS, because the host's file system may have no
 * reflink, and of each node its own, because nodes share the host's. An image that is there is kept, it holds volumes.
 */
export async function ensureDisk(path: string): Promise<void> {
  const isThere = await access(path).then(
    () => true,
    () => false,
  );
  if (isThere) return;
  await mkdir(dirname(path), { recursive: true });
  const unfinished = `${path}.new`;
  const file = await open(unfinished, 'w');
  await file.truncate(imageBytes);
  await file.close();
  await run('mkfs.xfs', ['-q', '-f', '-m', 'reflink=1', unfinished]);
  await rename(unfinished, path);
}
