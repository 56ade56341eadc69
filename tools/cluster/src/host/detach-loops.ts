import type { Clock } from '@lateen/kernel';
import { detachLoop, loopDevicesOf } from './loop-devices.ts';
import { waitUntil } from './wait-until.ts';

/** The kernel removes a killed machine's mounts a moment later; until then its devices are busy. */
const detachedTimeoutMs = 30_000;

/**
 * Detaches every loop device that belongs to the cluster or the machine in a folder, including those of volumes whose pods and file systems
 * are gone, and waits until they are gone. No process in the machine may use them. @throws WAIT_TIMEOUT when a device is still in use
 */
export async function detachLoopsBelow(dir: string, clock: Clock): Promise<void> {
  const detached = async (): Promise<boolean> => {
    // Listed again each time: a device becomes free when the one above it is gone.
    const left = await loopDevicesOf(dir);
    for (const loop of left) await detachLoop(loop);
    return left.length === 0;
  };
  const what = `the loop devices that belong to ${dir} are detached`;
  await waitUntil(detached, { what, timeoutMs: detachedTimeoutMs, clock });
}
