import { isAppError } from '@lateen/errors';
import { type MountEntry, mountAt } from '@lateen/kernel';
import { growExt4Online, growXfs } from '../host/file-systems.ts';
import { type Host, readMounts, runQuick } from '../host/host.ts';
import { isMounted } from '../host/usage.ts';
import { mountFileSystem } from '../node/mount-file-system.ts';
import { taken } from '../node/stage-volume.ts';
import { unmountPath } from '../node/unmount-path.ts';
import type { VolumeUse } from '../node/volume-use.ts';
import type { FileSystemType } from '../store/records.ts';
import { volumeError } from '../volume-error.ts';
import { isDeadMount } from './dead-mount.ts';
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
 * @throws AppError `UNAVAILABLE` without the device or when it cannot be read, `INVALID_ARGUMENT` for a file system other than the one on it,
 * `FAILED_PRECONDITION` when something else is mounted at the staging path
 */
export async function stageDevice(host: Host, request: StageDeviceRequest, signal: AbortSignal): Promise<void> {
  const { stagingPath, use, mkfsParams } = request;
  const device = await deviceNamed(host, request.device, signal);
  if (use.access.kind === 'block') return;
  const there = await mountedNow(host, device, stagingPath, signal);
  const { fileSystem, flags } = use.access;
  const { type, isNew } = await formatDevice(host, device, { fileSystem, mkfsParams }, signal);
  const { readOnly } = use;
  if (there === undefined) {
    await mountFileSystem(host, { type, device: device.path, at: stagingPath, flags, readOnly }, signal);
  }
  if (!isNew && !readOnly) await growIfPossible(host, { type, device, at: stagingPath }, signal);
}

/**
 * What of the device is mounted at the staging path. What an earlier device of the volume has left there is taken away: its end came
 * without an unstage, and kubelet, which sees a mount, asks for none.
 */
async function mountedNow(
  host: Host,
  device: BlockDevice,
  stagingPath: string,
  signal: AbortSignal,
): Promise<MountEntry | undefined> {
  const there = mountAt(await readMounts(host), stagingPath);
  if (there === undefined) return undefined;
  const isDead = await isDeadMount(host, there, signal);
  if (!isDead && there.device !== device.device) throw taken(stagingPath, there.source);
  if (!isDead) return there;
  await unmountPath(host, stagingPath, (each) => each.device === there.device, signal);
  return undefined;
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

/** A volume that cannot grow now is still of use as it is; kubelet requests the growth separately and gets the reason why not. */
async function growIfPossible(host: Host, mounted: Mounted, signal: AbortSignal): Promise<void> {
  try {
    await growDeviceFileSystem(host, mounted, signal);
  } catch (error) {
    if (!isAppError(error, 'FAILED_PRECONDITION')) throw error;
    host.log.warn({ err: error, at: mounted.at }, 'the file system stays smaller than its volume');
  }
}

/**
 * Undoes a stage. Idempotent, and also where the device is gone or is another one by now: what is mounted at the staging path, and cannot be
 * read, is then what is left of it.
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
  const isDead = mount !== undefined && device !== undefined && (await isDeadMount(host, mount, signal));
  // What is dead takes nothing any more.
  if (!isDead && mount !== undefined && mount.device === device?.device) {
    await runQuick(host, signal, 'sync', ['--file-system', stagingPath]);
  }
  const isOurs = (each: MountEntry) =>
    device === undefined || each.device === device.device || (isDead && each.device === mount.device);
  await unmountPath(host, stagingPath, isOurs, signal);
  if (device === undefined) return;
  const usage = await deviceUsage(host, device);
  if (!isMounted(usage)) return;
  const [left] = [...usage.fileSystemMounts, ...usage.deviceMounts];
  throw volumeError('FAILED_PRECONDITION', `the volume is still published at ${left?.mountPoint}`, {
    retry: 'later',
    nextStep: 'Unpublish it there first.',
  });
}
