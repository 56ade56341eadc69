import { isAppError } from '@lateen/errors';
import { growExt4Offline, growExt4Online, growXfs } from '../host/file-systems.ts';
import { runQuick } from '../host/host.ts';
import type { LoopDevice } from '../host/loop-devices.ts';
import type { Usage } from '../host/usage.ts';
import type { VolumeDeps } from '../volume-deps.ts';
import { mountFileSystem } from './mount-file-system.ts';

export interface GrowPlan {
  type: 'ext4' | 'xfs';
  loop: LoopDevice;
  /** Where the file system is mounted, and where else. */
  volumePath: string;
  usage: Usage;
  flags: readonly string[];
}

/**
 * Grows a mounted file system. An ext4 that the kernel may not grow online is taken off and put back for it when no pod
 * has it yet: kubelet asks between staging and publishing.
 * @throws AppError `FAILED_PRECONDITION` for such an ext4 in use; it grows at the next stage.
 */
export async function growMounted(deps: VolumeDeps, plan: GrowPlan, signal: AbortSignal): Promise<void> {
  const { host } = deps;
  if (plan.type === 'xfs') return growXfs(host, plan.volumePath, signal);
  try {
    await growExt4Online(host, plan.loop.path, signal);
  } catch (error) {
    const idle = plan.usage.fileSystemMounts.every(({ mountPoint }) => mountPoint === plan.volumePath);
    if (!isAppError(error, 'FAILED_PRECONDITION') || !idle) throw error;
    host.log.info({ path: plan.volumePath }, 'growing an ext4 that no pod uses yet while it is unmounted');
    await runQuick(host, signal, 'umount', [plan.volumePath]);
    try {
      await growExt4Offline(host, plan.loop.path, signal);
    } finally {
      const { type, flags } = plan;
      await mountFileSystem(host, { type, device: plan.loop.path, at: plan.volumePath, flags }, signal);
    }
  }
}
