import { readFile, stat } from 'node:fs/promises';
import { AppError } from '@lateen/errors';
import type { DataPathFlags } from './flags.ts';
import { mustBeMounted } from './volume-mounted.ts';

/**
 * Checks that the volume exists, has the right mode, and is mounted. @throws VOLUME_NOT_FOUND, VOLUME_WRONG_KIND,
 * VOLUME_NOT_MOUNTED
 */
export async function checkVolume({ volumePath, volumeMode }: DataPathFlags): Promise<void> {
  const found = await stat(volumePath).catch((cause: unknown) => {
    throw new AppError('VOLUME_NOT_FOUND', `the volume path ${volumePath} cannot be looked at`, {
      cause,
      nextStep: 'Check the volumes and volumeMounts of this pod.',
    });
  });
  const isKind = volumeMode === 'Block' ? found.isBlockDevice() : found.isDirectory();
  if (!isKind) {
    const wanted = volumeMode === 'Block' ? 'a block device' : 'a directory';
    throw new AppError('VOLUME_WRONG_KIND', `${volumePath} is not ${wanted}, which a volume of mode ${volumeMode} is`);
  }
  if (volumeMode === 'Filesystem') mustBeMounted(volumePath, await readFile('/proc/self/mountinfo', 'utf8'));
}
