import { describeError } from '@lateen/errors';
import { detachLoop, type LoopDevice, listLoops, readMounts } from '@lateen/volume';
import type { LetGo } from '../block-frontend.ts';
import type { FrontendDeps } from '../frontend-deps.ts';
import { volumeOfFile } from './front-file.ts';
import { placesOf } from './nbdfuse-process.ts';

type Marked = Pick<FrontendDeps, 'host' | 'mark'>;

/**
 * Detaches all loop devices of front ends with this mark, before their processes are ended. A device in use is removed when its last user
 * closes it. Devices that cannot be detached are logged. @throws when the devices of the machine cannot be listed
 */
export async function detachMarked(deps: Marked, letGo: LetGo, signal: AbortSignal): Promise<void> {
  const { host, mark } = deps;
  for (const loop of await listLoops(host, signal)) {
    const volume = volumeOfFile(loop.backingFile, mark);
    if (volume !== undefined) await detachOne(deps, { volume, loop, letGo }, signal);
  }
}

/**
 * The same for unwanted front ends whose file system is not mounted here: they have died with an earlier pod, and only
 * their device is known. Their mount points are removed too.
 */
export async function detachLost(
  deps: FrontendDeps,
  wanted: ReadonlySet<string>,
  letGo: LetGo,
  signal: AbortSignal,
): Promise<void> {
  const { host, mark } = deps;
  const loops = await listLoops(host, signal);
  const mountPoints = new Set((await readMounts(host)).map(({ mountPoint }) => mountPoint));
  for (const loop of loops) {
    const volume = volumeOfFile(loop.backingFile, mark);
    if (volume === undefined || wanted.has(volume)) continue;
    const { mountPoint } = placesOf(deps, volume);
    if (mountPoints.has(mountPoint)) continue;
    await detachOne(deps, { volume, loop, letGo }, signal);
    await host.files.removeMountPoint(mountPoint).catch((error: unknown) => {
      host.log.warn({ volume, mountPoint, reason: describeError(error) }, 'a mount point could not be removed');
    });
  }
}

async function detachOne(
  { host }: Marked,
  { volume, loop, letGo }: { volume: string; loop: LoopDevice; letGo: LetGo },
  signal: AbortSignal,
): Promise<void> {
  const about = { volume, device: loop.path };
  try {
    await letGo(volume, loop.path);
    if (loop.isLeaving) return;
    await detachLoop(host, loop, signal);
    host.log.info(about, 'a device was detached whose front end has died or ends');
  } catch (error) {
    signal.throwIfAborted();
    host.log.error({ ...about, err: error }, 'a device could not be detached');
  }
}
