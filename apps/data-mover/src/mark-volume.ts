import { constants } from 'node:fs';
import { lstat, mkdir, open, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { AppError } from '@lateen/errors';
import type { VolumeMark } from '@lateen/mover';
import { markDirectory } from './restore-wait.ts';

type Mark = Pick<VolumeMark, 'restoreUid'>;

/** Whether the mark of this restore is in the volume. A link does not count, wherever it leads. */
export async function isMarked(volumePath: string, { restoreUid }: Mark): Promise<boolean> {
  const directory = join(volumePath, markDirectory);
  const [above, mark] = await Promise.all(
    [directory, join(directory, restoreUid)].map((path) => lstat(path).catch(nobody)),
  );
  return above?.isDirectory() === true && mark?.isFile() === true;
}

const nobody = (): undefined => undefined;

/**
 * Leaves the file `.velero/<uid of the Restore>` in a restored volume and no other file in that directory: anything else there is
 * from the snapshot, or from an earlier restore. The pod of the volume is running, so the directory is held open and no link is
 * followed, even one that is created at the last moment. Safe to repeat. @throws VOLUME_NOT_MARKED; the signal's reason
 */
export async function markVolume(volumePath: string, { restoreUid }: Mark, signal: AbortSignal): Promise<void> {
  const path = join(volumePath, markDirectory);
  try {
    // For a link, only the link itself is removed.
    await rm(path, { recursive: true, force: true });
    signal.throwIfAborted();
    await mkdir(path);
    const { O_DIRECTORY, O_NOFOLLOW, O_RDONLY, O_CREAT, O_EXCL, O_WRONLY } = constants;
    const directory = await open(path, O_RDONLY | O_DIRECTORY | O_NOFOLLOW);
    try {
      // mkdir is subject to the umask, and the waiter that reads the mark is not root.
      await directory.chmod(0o755);
      signal.throwIfAborted();
      const inside = `/proc/self/fd/${directory.fd}/${restoreUid}`;
      const file = await open(inside, O_CREAT | O_EXCL | O_NOFOLLOW | O_WRONLY, 0o644);
      await file.chmod(0o644).finally(() => file.close());
    } finally {
      await directory.close();
    }
  } catch (cause) {
    signal.throwIfAborted();
    throw new AppError(
      'VOLUME_NOT_MARKED',
      `the data is restored, but ${path} cannot be made, for which the pod waits`,
      {
        cause,
        retry: 'later',
        nextStep: 'Check the space and the permissions of the volume, and that nobody else writes .velero into it.',
      },
    );
  }
}
