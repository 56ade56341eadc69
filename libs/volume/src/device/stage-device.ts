import { isAppError } from '@lateen/errors';
import { mountAt } from '@lateen/kernel';
import { growExt4Online, growXfs } from '../host/file-systems.ts';
import { type Host, readMounts, runQuick } from '../host/host.ts';
import { isMounted } from '../host/usage.ts';
import { mountFileSystem } from '../node/mount-file-system.ts';
import { taken } from '../node/stage-volume.ts';
import { unmountPath } from '../node/unmount-path.ts';
import type { VolumeUse } from '../node/volume-use.ts';
import type { FileSystemType } from '../store/records.ts';
import { volumeError } from '../volume-error.ts';
import { type BlockDevice, deviceUsage, findDevice } from './device-usage.ts';
import { formatDevice } from './format-device.ts';

/** @throws AppError `UNAVAILABLE` when there is no such device */
export async function deviceNamed(host: Host, path: string, signal: AbortSignal): Promise<BlockDevice> {
  const found = await findDevice(host, path, signal);
  if (found !== undefined) return found;
  throw volumeError('UNAVAILABLE', `there is no device ${path} on this node`, {
    retry: 'soon',
    nextStep: 'The volume has to be attached to this node first; its engine may just be starting again.',
  });
}

export interface StageDeviceRequest {
  /** Name of the device. */
  device: string;
  stagingPath: string;
  use: VolumeUse;
  mkfsParams: readonly string[];
}

/**
 * Makes an attached device usable: file system (made when it is blank, grown to the device) and mount. Idempotent.
 * @throws AppError `UNAVAILABLE` without the device, `INVALID_ARGUMENT` for a file system other than the one on it,
 * `FAILED_PRECONDITION` when something else is mounted at the staging path
 */
export async function stageDevice(host: Host, request: StageDeviceRequest, signal: AbortSignal): Promise<void> {
  const { stagingPath, use, mkfsParams } = request;
  const device = await deviceNamed(host, request.device, signal);
  if (use.access.kind === 'block') return;
  const there = mountAt(await readMounts(host), stagingPath);
  if (there !== undefined && there.device !== device.device) throw taken(stagingPath, there.source);
  const { fileSystem, flags } = use.access;
  const { type, isNew } = await formatDevice(host, device, { fileSystem, mkfsParams }, signal);
  const { readOnly } = use;
  if (there === undefined) {
    await mountFileSystem(host, { type, device: device.path, at: stagingPath, flags, readOnly }, signal);
  }
  if (!isNew && !readOnly) await growIfPossible(host, { type, device, at: stagingPath }, signal);
}

interface Mounted {
  type: FileSystemType;
  device: BlockDevice;
  at: string;
}

/** Growing it while it is not mounted would do, but ends in a broken file system when the program is killed, and there is no copy to do it on. */
const noGrowth = 'Use the volume on a node that lets privileged pods do it, or take xfs, which grows everywhere.';

/** As large as its device already: nothing to do. */
export const growDeviceFileSystem = (host: Host, { type, device, at }: Mounted, signal: AbortSignal): Promise<void> =>
  type === 'xfs' ? growXfs(host, at, signal) : growExt4Online(host, device.path, signal, noGrowth);

/** A volume that cannot grow now is still of use as it is; kubelet asks for the growth by itself and is told why not. */
async function growIfPossible(host: Host, mounted: Mounted, signal: AbortSignal): Promise<void> {
  try {
    await growDeviceFileSystem(host, mounted, signal);
  } catch (error) {
    if (!isAppError(error, 'FAILED_PRECONDITION')) throw error;
    host.log.warn({ err: error, at: mounted.at }, 'the file system stays smaller than its volume');
  }
}

/**
 * Undoes a stage. Idempotent, and also where the device is gone: what is mounted at the staging path is then what is left of it.
 * @throws AppError `INVALID_ARGUMENT` when another volume is mounted at the path, `FAILED_PRECONDITION` while it is published
 */
export async function unstageDevice(
  host: Host,
  request: { device: string; stagingPath: string },
  signal: AbortSignal,
): Promise<void> {
  const device = await findDevice(host, request.device, signal);
  const { stagingPath } = request;
  const mount = mountAt(await readMounts(host), stagingPath);
  if (mount !== undefined && mount.device === device?.device) {
    await runQuick(host, signal, 'sync', ['--file-system', stagingPath]);
  }
  await unmountPath(host, stagingPath, (each) => device === undefined || each.device === device.device, signal);
  if (device === undefined) return;
  const usage = await deviceUsage(host, device);
  if (!isMounted(usage)) return;
  const [left] = [...usage.fileSystemMounts, ...usage.deviceMounts];
  throw volumeError('FAILED_PRECONDITION', `the volume is still published at ${left?.mountPoint}`, {
    retry: 'later',
    nextStep: 'Unpublish it there first.',
  });
}
