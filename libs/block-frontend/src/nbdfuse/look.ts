import type { MountEntry } from '@lateen/kernel';
import { type LoopDevice, listLoops, readMounts, usageIn } from '@lateen/volume';
import { type FrontendDeps, type FrontendProcess, processId } from '../frontend-deps.ts';
import { volumeOfFile } from './front-file.ts';
import { placesOf } from './nbdfuse-process.ts';

/** What is there of a volume's front end. */
export interface FrontendSeen {
  process: FrontendProcess;
  /** The file system of nbdfuse at our mount point. */
  mount: MountEntry | undefined;
  /** Devices on the mount that is there, those that are leaving included. */
  loops: readonly LoopDevice[];
  /** Devices of an earlier front end: a stop has failed, its pod has died, or the file system below them was unmounted. The kernel knows no file system of theirs. */
  stale: readonly LoopDevice[];
  /** Where any of the devices is mounted or published. */
  mountPoints: readonly string[];
}

export async function lookAtFrontend(deps: FrontendDeps, volume: string, signal: AbortSignal): Promise<FrontendSeen> {
  const { mountPoint } = placesOf(deps, volume);
  const process = await deps.processes.look(processId(volume), signal);
  const mounts = await readMounts(deps.host);
  const mount = mounts.findLast((one) => one.mountPoint === mountPoint && one.fileSystem.startsWith('fuse'));
  const all = await listLoops(deps.host, signal);
  const loops = mount === undefined ? [] : all.filter(({ backingDevice }) => backingDevice === mount.device);
  const stale = all.filter((loop) => volumeOfFile(loop.backingFile, deps.mark) === volume && !loops.includes(loop));
  const { fileSystemMounts, deviceMounts } = usageIn([...loops, ...stale], mounts);
  const mountPoints = [...fileSystemMounts, ...deviceMounts].map((one) => one.mountPoint);
  return { process, mount, loops, stale, mountPoints };
}
