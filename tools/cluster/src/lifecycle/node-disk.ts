import { access, mkdir, open, rename } from 'node:fs/promises';
import { dirname } from 'node:path';
import { run } from '../host/run.ts';

/** Sparse: uses only the room of the volumes on it. */
const imageBytes = 64 * 1024 ** 3;

/**
 * The image of a disk that a node mounts for volumes: XFS, because the host's file system may have no reflink; one per node, because nodes
 * share the host's file system. An existing image is kept, because it has volumes.
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
