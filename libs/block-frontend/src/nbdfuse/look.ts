import type { MountEntry } from '@lateen/kernel';
import { type LoopDevice, listLoops, readMounts, usageIn } from '@lateen/volume';
import { type FrontendDeps, type FrontendProcess, processId } from '../frontend-deps.ts';
import { placesOf } from './nbdfuse-process.ts';

/** What is there of a volume's front end. */
export interface FrontendSeen {
  process: FrontendProcess;
  /** The file system of nbdfuse at our mount point. */
  mount: MountEntry | undefined;
  /** Devices on the mount that is there, those that are leaving included. */
  loops: readonly LoopDevice[];
  /** Devices on an earlier mount at the same place: a stop has failed, or somebody has unmounted below them. */
  stale: readonly LoopDevice[];
  /** Where any of the devices is mounted or published. */
  mountPoints: readonly string[];
}

export async function lookAtFrontend(deps: FrontendDeps, volume: string, signal: AbortSignal): Promise<FrontendSeen> {
  const { mountPoint, file } = placesOf(deps.directory, volume);
  const process = await deps.processes.look(processId(volume), signal);
  const mounts = await readMounts(deps.host);
  const mount = mounts.findLast((one) => one.mountPoint === mountPoint && one.fileSystem.startsWith('fuse'));
  const all = await listLoops(deps.host, signal);
  // By the file system that the device is on: file names and inodes are the same for the volume on another node of this kernel.
  const loops = mount === undefined ? [] : all.filter(({ backingDevice }) => backingDevice === mount.device);
  const stale = all.filter((loop) => isAt(loop, file) && !loops.includes(loop));
  const { fileSystemMounts, deviceMounts } = usageIn([...loops, ...stale], mounts);
  const mountPoints = [...fileSystemMounts, ...deviceMounts].map((one) => one.mountPoint);
  return { process, mount, loops, stale, mountPoints };
}

/** The kernel says so of a file whose file system has gone. */
const isAt = ({ backingFile }: LoopDevice, file: string): boolean =>
  backingFile === file || backingFile === `${file} (deleted)`;
