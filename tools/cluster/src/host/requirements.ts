import { mkdir, statfs } from 'node:fs/promises';
import { AppError } from '@lateen/errors';

/** An empty cluster with its images needs half of this; with less kubelet starts to evict. */
const freeBytesMin = 3 * 1024 ** 3;

/** @throws NOT_ROOT */
export function requireRoot(): void {
  if (process.getuid?.() === 0) return;
  throw new AppError('NOT_ROOT', 'a cluster needs root, because it creates namespaces, mounts and cgroups', {
    nextStep: 'Run the command again as root.',
  });
}

/** @throws DISK_FULL, DIR_NOT_WRITABLE */
export async function requireDisk(dir: string): Promise<void> {
  try {
    await mkdir(dir, { recursive: true });
  } catch (cause) {
    throw new AppError('DIR_NOT_WRITABLE', `the folder ${dir} could not be created`, {
      cause,
      nextStep: 'Choose another folder with --dir.',
    });
  }
  const facts = await statfs(dir);
  const freeBytes = facts.bavail * facts.bsize;
  if (freeBytes >= freeBytesMin) return;
  const gib = (bytes: number): string => `${(bytes / 1024 ** 3).toFixed(1)} GiB`;
  throw new AppError('DISK_FULL', `${dir} has ${gib(freeBytes)} free, a cluster needs ${gib(freeBytesMin)}`, {
    nextStep: 'Free some space, or choose a folder on another disk with --dir.',
  });
}
