import { type MountEntry, mountAt } from '@lateen/kernel';
import { type Host, readMounts, runQuick } from '../host/host.ts';
import { volumeLimits } from '../limits.ts';
import { volumeError } from '../volume-error.ts';

/** Takes away everything mounted at a path. Nothing there is fine. @throws AppError `COMMAND_FAILED` when it is busy. */
export async function unmountPath(
  host: Host,
  path: string,
  mayUnmount: (mount: MountEntry) => boolean,
  signal: AbortSignal,
): Promise<void> {
  for (let taken = 0; taken < volumeLimits.stackedMountsMax; taken++) {
    const mount = mountAt(await readMounts(host), path);
    if (mount === undefined) return;
    if (!mayUnmount(mount)) {
      throw volumeError('INVALID_ARGUMENT', `what is mounted at ${path} (${mount.source}) is not this volume`);
    }
    await runQuick(host, signal, 'umount', [path]);
  }
  throw volumeError('FAILED_PRECONDITION', `more than ${volumeLimits.stackedMountsMax} mounts lie on ${path}`);
}
