import { isAppError } from '@lateen/errors';
import type { MountEntry } from '@lateen/kernel';
import { type Host, runQuick } from '../host/host.ts';

/** What the kernel says of a file system that it has shut down, or whose other end is gone. */
const deadCodes: readonly unknown[] = ['EIO', 'ENOTCONN', 'ESHUTDOWN', 'ESTALE', 'ENXIO', 'ENODEV'];

/**
 * True when nothing can be read through a mount any more: its device has ended below it, as that of a volume whose front end was killed, or
 * the kernel has shut its file system down after such an error. The device is read past the kernel's cache, in which its first blocks live on.
 * @throws AppError `COMMAND_FAILED` when the device does not answer in time, which says nothing of it
 */
export async function isDeadMount(host: Host, mount: MountEntry, signal: AbortSignal): Promise<boolean> {
  // Nothing of ours: every volume is a device.
  if (!isRaw(mount) && !mount.source.startsWith('/dev/')) return false;
  const error = (await unreadableDevice(host, mount, signal)) ?? (await unreadableDirectory(host, mount));
  if (error === undefined) return false;
  host.log.warn({ err: error, at: mount.mountPoint, source: mount.source }, 'what is mounted cannot be read any more');
  return true;
}

async function unreadableDevice(host: Host, mount: MountEntry, signal: AbortSignal): Promise<unknown> {
  // The node of a raw volume is bound to a file, which leads to the device like any other name.
  const device = isRaw(mount) ? mount.mountPoint : mount.source;
  try {
    const args = [`if=${device}`, 'of=/dev/null', 'bs=4096', 'count=1', 'iflag=direct', 'status=none'];
    await runQuick(host, signal, 'dd', args);
    return undefined;
  } catch (error) {
    if (isAppError(error, 'COMMAND_FAILED') && error.details.exitCode !== undefined) return error;
    throw error;
  }
}

async function unreadableDirectory(host: Host, mount: MountEntry): Promise<unknown> {
  if (isRaw(mount)) return undefined;
  try {
    await host.files.list(mount.mountPoint);
    return undefined;
  } catch (error) {
    if (deadCodes.includes((error as NodeJS.ErrnoException).code)) return error;
    throw error;
  }
}

const isRaw = ({ fileSystem }: MountEntry) => fileSystem === 'devtmpfs';
