import type { MountEntry } from '@lateen/kernel';
import type { Host } from '../host/host.ts';
import type { VolumeCondition, VolumeStats } from '../node/volume-stats.ts';
import { volumeError } from '../volume-error.ts';
import { deviceUsage } from './device-usage.ts';
import { deviceNamed, growDeviceFileSystem } from './stage-device.ts';

interface DevicePlace {
  device: string;
  volumePath: string;
}

/** Room and health of a device where a pod has it. @throws AppError `NOT_FOUND` when it is not there, `UNAVAILABLE` without the device */
export async function deviceStats(host: Host, request: DevicePlace, signal: AbortSignal): Promise<VolumeStats> {
  const device = await deviceNamed(host, request.device, signal);
  const usage = await deviceUsage(host, device);
  const at = ({ mountPoint }: MountEntry) => mountPoint === request.volumePath;
  const mount = usage.fileSystemMounts.find(at);
  if (mount === undefined && !usage.deviceMounts.some(at)) throw elsewhere(request);
  const condition = conditionOfMount(mount);
  if (mount === undefined) {
    // The used space of a raw device is not known on this node.
    return { bytes: { total: device.sizeBytes, used: 0, available: 0 }, condition };
  }
  const space = await host.files.space(request.volumePath);
  return {
    bytes: { total: space.totalBytes, used: space.usedBytes, available: space.availableBytes },
    inodes: { total: space.totalInodes, used: space.totalInodes - space.freeInodes, available: space.freeInodes },
    condition,
  };
}

/** Pure. A mount that was asked for read-only says so itself; the kernel makes only the superblock read-only, after an error. */
export function conditionOfMount(mount: MountEntry | undefined): VolumeCondition {
  const turned = mount?.superOptions.includes('ro') === true && !mount.options.includes('ro');
  return turned
    ? { abnormal: true, message: 'the file system turned read-only after an error' }
    : { abnormal: false, message: 'the device is there and no error shows' };
}

/**
 * Lets a mounted file system follow its device. @returns the size of the device in bytes
 * @throws AppError `NOT_FOUND` when it is not at `volumePath`, `FAILED_PRECONDITION` where a mounted ext4 may not grow
 */
export async function expandDevice(host: Host, request: DevicePlace, signal: AbortSignal): Promise<number> {
  const device = await deviceNamed(host, request.device, signal);
  const usage = await deviceUsage(host, device);
  const mount = usage.fileSystemMounts.find(({ mountPoint }) => mountPoint === request.volumePath);
  // A block volume is a device; kubelet may name its staging path, where nothing is mounted.
  if (mount === undefined && usage.fileSystemMounts.length > 0) throw elsewhere(request);
  if (mount === undefined) return device.sizeBytes;
  if (mount.superOptions.includes('ro')) {
    throw volumeError('FAILED_PRECONDITION', 'the volume is mounted read-only and cannot grow now', {
      retry: 'later',
      nextStep: 'It grows when it is next mounted for writing.',
    });
  }
  const type = mount.fileSystem === 'xfs' ? 'xfs' : 'ext4';
  await growDeviceFileSystem(host, { type, device, at: request.volumePath }, signal);
  return device.sizeBytes;
}

const elsewhere = ({ volumePath }: DevicePlace) => volumeError('NOT_FOUND', `the volume is not at ${volumePath}`);
