import type { MountEntry } from '@lateen/kernel';
import { type Host, readMounts } from './host.ts';
import { type LoopDevice, loopsOf } from './loop-devices.ts';

/** How a backing file is in use on this machine. */
export interface Usage<Device = LoopDevice> {
  /** Without those that are leaving. */
  loops: readonly Device[];
  /** Its file system, mounted: staging paths and the binds of them. */
  fileSystemMounts: MountEntry[];
  /** Its device node, bound to a file: published block volumes. */
  deviceMounts: MountEntry[];
}

export async function usageOf(host: Host, file: string, signal: AbortSignal): Promise<Usage> {
  const loops = (await loopsOf(host, file, signal)).filter(({ isLeaving }) => !isLeaving);
  return loops.length === 0
    ? { loops, fileSystemMounts: [], deviceMounts: [] }
    : usageIn(loops, await readMounts(host));
}

/** Pure part: which mounts belong to these loop devices. */
export function usageIn<Device extends Pick<LoopDevice, 'path' | 'device'>>(
  loops: readonly Device[],
  mounts: readonly MountEntry[],
): Usage<Device> {
  const devices = new Set(loops.map((loop) => loop.device));
  const nodes = new Set(loops.map((loop) => loop.path.replace(/^\/dev/, '')));
  return {
    loops,
    fileSystemMounts: mounts.filter((mount) => devices.has(mount.device)),
    // Elsewhere than /dev itself, where a container runtime may bind single devices.
    deviceMounts: mounts.filter(
      (mount) => mount.fileSystem === 'devtmpfs' && nodes.has(mount.root) && !mount.mountPoint.startsWith('/dev/'),
    ),
  };
}

export const isMounted = (usage: Usage<unknown>): boolean =>
  usage.fileSystemMounts.length + usage.deviceMounts.length > 0;
