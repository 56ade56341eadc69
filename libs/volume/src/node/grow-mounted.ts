import { isAppError } from '@lateen/errors';
import { growExt4Offline, growExt4Online, growXfs } from '../host/file-systems.ts';
import { readMounts, runQuick } from '../host/host.ts';
import { ensureLoop, type LoopDevice } from '../host/loop-devices.ts';
import { mountAt } from '../host/mount-table.ts';
import type { Usage } from '../host/usage.ts';
import type { FileSystemRecord, VolumeRecord } from '../store/records.ts';
import type { VolumeDeps } from '../volume-deps.ts';
import { volumeError } from '../volume-error.ts';
import { mountFileSystem } from './mount-file-system.ts';

export interface GrowPlan {
  record: VolumeRecord;
  fileSystem: FileSystemRecord;
  loop: LoopDevice;
  /** Where the file system is mounted, and where else. */
  volumePath: string;
  usage: Usage;
  flags: readonly string[];
}

/**
 * Grows a mounted file system and records it. An ext4 that the kernel may not grow online is taken off and put back for
 * it when no pod has it yet: kubelet asks between staging and publishing.
 * @throws AppError `FAILED_PRECONDITION` for such an ext4 in use; it grows at the next stage.
 */
export async function growMounted(deps: VolumeDeps, plan: GrowPlan, signal: AbortSignal): Promise<void> {
  const { fileSystem, record } = plan;
  if (record.isReadOnly) {
    throw volumeError('FAILED_PRECONDITION', `volume ${record.id} is mounted read-only and cannot grow now`, {
      retry: 'later',
      nextStep: 'It grows when it is next mounted: restart the pods that use it.',
    });
  }
  if (fileSystem.type === 'xfs') await growXfs(deps.host, plan.volumePath, signal);
  else await growExt4(deps, plan, signal);
  await deps.store.put({ ...record, fileSystem: { ...fileSystem, sizeBytes: record.capacityBytes } });
}

async function growExt4(deps: VolumeDeps, plan: GrowPlan, signal: AbortSignal): Promise<void> {
  const { host } = deps;
  try {
    await growExt4Online(host, plan.loop.path, signal);
  } catch (error) {
    const idle = plan.usage.fileSystemMounts.every(({ mountPoint }) => mountPoint === plan.volumePath);
    if (!isAppError(error, 'FAILED_PRECONDITION') || !idle) throw error;
    host.log.info({ path: plan.volumePath }, 'growing an ext4 that no pod uses yet while it is unmounted');
    const record = { ...plan.record, remount: { at: plan.volumePath, flags: [...plan.flags] } };
    await deps.store.put(record);
    await runQuick(host, signal, 'umount', [plan.volumePath]);
    try {
      await growExt4Offline(host, plan.loop.path, signal);
    } finally {
      await restoreMount(deps, record, signal);
    }
  }
}

/** Puts back a staging mount that growing took off, if one is noted, and forgets the note. Idempotent. */
export async function restoreMount(deps: VolumeDeps, record: VolumeRecord, signal: AbortSignal): Promise<VolumeRecord> {
  const { remount, ...rest } = record;
  if (remount === undefined || record.fileSystem === undefined) return record;
  const loop = await ensureLoop(deps.host, deps.paths.backingFile(record), { readOnly: false, signal });
  const { at, flags } = remount;
  const isThere = mountAt(await readMounts(deps.host), at)?.device === loop.device;
  const plan = { type: record.fileSystem.type, device: loop.path, at, flags, readOnly: false };
  if (!isThere) await mountFileSystem(deps.host, plan, signal);
  await deps.store.put(rest);
  return rest;
}
