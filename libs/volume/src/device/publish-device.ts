import { mountAt } from '@lateen/kernel';
import { type Host, readMounts } from '../host/host.ts';
import { bind, bindDevice, checkSingle, occupied } from '../node/publish-volume.ts';
import { unmountPath } from '../node/unmount-path.ts';
import type { VolumeUse } from '../node/volume-use.ts';
import { volumeError } from '../volume-error.ts';
import { isDeadMount } from './dead-mount.ts';
import { deviceUsage, findDevice } from './device-usage.ts';
import { deviceNamed } from './stage-device.ts';

export interface PublishDeviceRequest {
  volumeId: string;
  /** Name of the device. */
  device: string;
  stagingPath: string;
  targetPath: string;
  use: VolumeUse;
}

/**
 * Shows a staged device to a pod: a bind of its file system, or of the device on a file. Idempotent.
 * @throws AppError `UNAVAILABLE` without the device, `FAILED_PRECONDITION` (not staged; a single writer has it elsewhere),
 * `ALREADY_EXISTS` (published there in another way), `INVALID_ARGUMENT` for a block device that is only to be read
 */
export async function publishDevice(host: Host, request: PublishDeviceRequest, signal: AbortSignal): Promise<void> {
  const { stagingPath, targetPath, use } = request;
  const device = await deviceNamed(host, request.device, signal);
  const usage = await deviceUsage(host, device);
  if (use.single) checkSingle(usage, request);
  if (use.access.kind === 'block') {
    // A read-only bind of a device node does not stop writes to the device.
    if (use.readOnly) {
      throw volumeError('INVALID_ARGUMENT', 'a raw block volume cannot be published read-only by this driver', {
        nextStep: 'Publish it for writing, or use a file system.',
      });
    }
    return bindDevice(host, device.path, targetPath, signal);
  }
  if (!usage.fileSystemMounts.some((mount) => mount.mountPoint === stagingPath)) {
    throw volumeError('FAILED_PRECONDITION', `volume ${request.volumeId} is not staged at ${stagingPath}`);
  }
  await host.files.makeDirectory(targetPath);
  const there = mountAt(await readMounts(host), targetPath);
  if (there !== undefined && there.device !== device.device) throw occupied(targetPath, there);
  await bind(host, { from: stagingPath, to: targetPath, readOnly: use.readOnly, there }, signal);
}

/**
 * Undoes a publish: unmounts the target and removes it. Idempotent, and also where the device is gone or is another one by now.
 * @throws AppError `INVALID_ARGUMENT` when another volume is mounted at the path
 */
export async function unpublishDevice(
  host: Host,
  request: { device: string; targetPath: string },
  signal: AbortSignal,
): Promise<void> {
  const device = await findDevice(host, request.device, signal);
  const usage = device === undefined ? undefined : await deviceUsage(host, device);
  const own = [...(usage?.fileSystemMounts ?? []), ...(usage?.deviceMounts ?? [])];
  const { targetPath } = request;
  const isOwn = usage === undefined || own.some(({ mountPoint }) => mountPoint === targetPath);
  // Of an earlier device of the volume, which has ended below it.
  const there = isOwn ? undefined : mountAt(await readMounts(host), targetPath);
  const isLeft = there !== undefined && (await isDeadMount(host, there, signal));
  await unmountPath(host, targetPath, () => isOwn || isLeft, signal);
  await host.files.removeMountPoint(targetPath);
}
