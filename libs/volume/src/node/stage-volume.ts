import { isAppError } from '@lateen/errors';
import { type MountEntry, mountAt } from '@lateen/kernel';
import { findVolume } from '../controller/find-record.ts';
import { readMounts, runQuick } from '../host/host.ts';
import { detachLoop, ensureLoop, type LoopDevice } from '../host/loop-devices.ts';
import { isMounted, usageOf } from '../host/usage.ts';
import { volumeLimits } from '../limits.ts';
import type { VolumeRecord } from '../store/records.ts';
import type { VolumeDeps } from '../volume-deps.ts';
import { volumeError } from '../volume-error.ts';
import { ensureFileSystem } from './ensure-file-system.ts';
import { type GrowPlan, growMounted, restoreMount } from './grow-mounted.ts';
import { mountFileSystem } from './mount-file-system.ts';
import type { VolumeUse } from './volume-use.ts';

export interface StageRequest {
  volumeId: string;
  stagingPath: string;
  use: VolumeUse;
}

/**
 * Makes a volume usable on this node: loop device, file system (made when the device is blank, grown when the volume has
 * grown), mount. Idempotent; a failure leaves no loop device behind.
 * @throws AppError `NOT_FOUND`, `INVALID_ARGUMENT` for a file system other than the one on it, `FAILED_PRECONDITION`
 * when something else is mounted at the staging path.
 */
export async function stageVolume(deps: VolumeDeps, request: StageRequest, signal: AbortSignal): Promise<void> {
  const record = await restoreMount(deps, findVolume(deps, request.volumeId), signal);
  const file = deps.paths.backingFile(record);
  await deps.host.files.growSparse(file, record.capacityBytes);
  try {
    const loop = await ensureLoop(deps.host, file, { readOnly: false, signal });
    if (request.use.access.kind === 'mount') await stageFileSystem(deps, record, loop, request, signal);
  } catch (error) {
    await detachUnused(deps, file);
    throw error;
  }
}

async function stageFileSystem(
  deps: VolumeDeps,
  record: VolumeRecord,
  loop: LoopDevice,
  { stagingPath, use }: StageRequest,
  signal: AbortSignal,
): Promise<void> {
  if (use.access.kind === 'block') return;
  const mounts = await readMounts(deps.host);
  const there = mountAt(mounts, stagingPath);
  if (there !== undefined && there.device !== loop.device) throw taken(stagingPath, there.source);
  const formatted =
    there === undefined || record.fileSystem === undefined
      ? await ensureFileSystem(deps, record, loop, use.access.fileSystem, signal)
      : { ...record, fileSystem: record.fileSystem };
  const { fileSystem } = formatted;
  const mustGrow = fileSystem.sizeBytes < record.capacityBytes;
  const plan = { type: fileSystem.type, device: loop.path, at: stagingPath, flags: use.access.flags };
  // Both file systems grow while they are mounted for writing.
  const readOnly = use.readOnly && !mustGrow;
  if (there === undefined) await mountFileSystem(deps.host, { ...plan, readOnly }, signal);
  const isWritable = there === undefined ? !readOnly : !isReadOnly(there);
  const grown =
    mustGrow && isWritable ? await growIfPossible(deps, { ...plan, record: formatted, fileSystem }, signal) : formatted;
  await noteReadOnly(deps, grown, use.readOnly);
  // The whole file system and not only the pods' binds of it: a container runtime makes a read-only bind writable again.
  if (use.readOnly && isWritable) await runQuick(deps.host, signal, 'mount', ['-o', 'remount,ro', stagingPath]);
}

const isReadOnly = (mount: MountEntry) => mount.superOptions.includes('ro');

/** A volume that cannot grow now is still of use as it is; kubelet requests the growth separately and gets the reason why not. */
async function growIfPossible(deps: VolumeDeps, plan: GrowPlan, signal: AbortSignal): Promise<VolumeRecord> {
  try {
    return await growMounted(deps, plan, signal);
  } catch (error) {
    if (!isAppError(error, 'FAILED_PRECONDITION')) throw error;
    deps.host.log.warn({ err: error, id: plan.record.id }, 'the file system stays smaller than its volume');
    return plan.record;
  }
}

async function noteReadOnly(deps: VolumeDeps, record: VolumeRecord, readOnly: boolean): Promise<void> {
  const { isReadOnly: was = false, ...rest } = record;
  if (was !== readOnly) await deps.store.put({ ...rest, ...(readOnly ? { isReadOnly: true } : {}) });
}

/** Clean-up of a failed stage; uses a deadline of its own because the call's signal may be the reason. */
async function detachUnused(deps: VolumeDeps, file: string): Promise<void> {
  const signal = deps.host.clock.deadline(volumeLimits.rollBackMs);
  try {
    const usage = await usageOf(deps.host, file, signal);
    if (isMounted(usage)) return;
    for (const loop of usage.loops) await detachLoop(deps.host, loop, signal);
  } catch (error) {
    deps.host.log.error({ err: error, file }, 'could not detach the loop device of a failed stage');
  }
}

export function taken(path: string, source: string): Error {
  return volumeError('FAILED_PRECONDITION', `${path} has ${source} mounted on it already`, {
    nextStep: 'Unmount it, or let kubelet use another staging path.',
  });
}
