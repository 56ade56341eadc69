import { isAppError } from '@lateen/errors';
import { mountAt } from '@lateen/kernel';
import { growExt4Online, growXfs } from '../host/file-systems.ts';
import { readMounts, runQuick } from '../host/host.ts';
import { ensureLoop } from '../host/loop-devices.ts';
import { usageOf } from '../host/usage.ts';
import type { FileSystemRecord, VolumeRecord } from '../store/records.ts';
import type { VolumeDeps } from '../volume-deps.ts';
import { growOnCopy } from './grow-on-copy.ts';
import { mountFileSystem } from './mount-file-system.ts';

export interface GrowPlan {
  record: VolumeRecord;
  fileSystem: FileSystemRecord;
  /** The loop device, as large as the volume already. */
  device: string;
  /** Where the file system is mounted for writing. */
  at: string;
  flags: readonly string[];
}

/**
 * Grows a mounted file system and records it. An ext4 that the kernel may not grow online is taken off, grown and put
 * back when no pod has it: at stage, and when kubelet asks between staging and publishing.
 * @returns the record as it is now.
 * @throws AppError `FAILED_PRECONDITION` for such an ext4 in use; it grows at the next stage.
 */
export async function growMounted(deps: VolumeDeps, plan: GrowPlan, signal: AbortSignal): Promise<VolumeRecord> {
  const { fileSystem, record } = plan;
  if (fileSystem.type === 'xfs') await growXfs(deps.host, plan.at, signal);
  else await growExt4(deps, plan, signal);
  const grown = { ...record, fileSystem: { ...fileSystem, sizeBytes: record.capacityBytes } };
  await deps.store.put(grown);
  return grown;
}

async function growExt4(deps: VolumeDeps, plan: GrowPlan, signal: AbortSignal): Promise<void> {
  const { host } = deps;
  try {
    await growExt4Online(host, plan.device, signal);
  } catch (error) {
    const usage = await usageOf(host, deps.paths.backingFile(plan.record), signal);
    const isIdle = [...usage.fileSystemMounts, ...usage.deviceMounts].every(({ mountPoint }) => mountPoint === plan.at);
    if (!isAppError(error, 'FAILED_PRECONDITION') || !isIdle) throw error;
    host.log.info({ id: plan.record.id, at: plan.at }, 'growing an ext4 that no pod uses while it is not mounted');
    const record = { ...plan.record, remount: { at: plan.at, flags: [...plan.flags] } };
    await deps.store.put(record);
    await runQuick(host, signal, 'sync', ['--file-system', plan.at]);
    await runQuick(host, signal, 'umount', [plan.at]);
    try {
      await growOnCopy(deps, record, signal);
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
