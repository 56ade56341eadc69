import { mkdir, stat } from 'node:fs/promises';
import { AppError } from '@lateen/errors';
import { directoryOf, type FsLocation } from '@lateen/storage-location';

/**
 * Creates the directory of a new repository, for its user alone. The location's own directory is never created: when it is
 * missing, nothing is mounted there, and the backups would be written to the pod's disk and lost with it.
 * @throws BUCKET_NOT_FOUND
 */
export async function makeRepositoryDirectory(location: FsLocation, prefix: string): Promise<void> {
  const found = await stat(location.path).catch((cause: unknown) => cause as Error);
  if (found instanceof Error || !found.isDirectory()) {
    throw new AppError('BUCKET_NOT_FOUND', `there is no directory "${location.path}" in this pod`, {
      retry: 'later',
      ...(found instanceof Error ? { cause: found } : {}),
      nextStep: 'Mount the volume there in the pods of Lateen, or correct config.fspath.',
    });
  }
  await mkdir(directoryOf(location, prefix), { recursive: true, mode: 0o700 });
}
