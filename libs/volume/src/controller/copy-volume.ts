import { copyFile } from '../host/copy-file.ts';
import { copyFrozen } from '../host/frozen-copy.ts';
import { runQuick } from '../host/host.ts';
import type { LoopDevice } from '../host/loop-devices.ts';
import { usageOf } from '../host/usage.ts';
import type { AnyRecord, VolumeRecord } from '../store/records.ts';
import type { VolumeDeps } from '../volume-deps.ts';
import { volumeError } from '../volume-error.ts';

/** How a volume can be copied as it is at one moment. */
export type CopyPlan =
  | { kind: 'frozen'; source: VolumeRecord; mountPoint: string }
  | { kind: 'device'; source: VolumeRecord; loops: readonly LoopDevice[] };

/**
 * Looks at how the source is in use. Reads only.
 * @throws AppError `FAILED_PRECONDITION` for a raw block device in use where copying takes time.
 */
export async function planCopy(deps: VolumeDeps, source: VolumeRecord, signal: AbortSignal): Promise<CopyPlan> {
  const { loops, fileSystemMounts } = await usageOf(deps.host, deps.paths.backingFile(source), signal);
  const mount = fileSystemMounts[0];
  if (mount !== undefined) return { kind: 'frozen', source, mountPoint: mount.mountPoint };
  if (loops.length > 0 && deps.copyMode === 'plain') throw cannotCopyDevice(source.id);
  return { kind: 'device', source, loops };
}

/** What the target's record must say on disk before the copy begins, so that a restart can take a freeze back. */
export function copyIntent(plan: CopyPlan | undefined): { frozenMounts?: string[] } {
  return plan?.kind === 'frozen' ? { frozenMounts: [plan.mountPoint] } : {};
}

/** Makes the target's data. Its record is on disk as `creating`, with {@link copyIntent}. */
export async function copyVolumeData(
  deps: VolumeDeps,
  plan: CopyPlan,
  target: AnyRecord,
  signal: AbortSignal,
): Promise<void> {
  const paths = { from: deps.paths.backingFile(plan.source), to: deps.paths.backingFile(target) };
  if (plan.kind === 'frozen') {
    return copyFrozen(deps.host, { ...paths, mountPoint: plan.mountPoint, mode: deps.copyMode }, signal);
  }
  for (const loop of plan.loops) await runQuick(deps.host, signal, 'sync', [loop.path]);
  await copyFile(deps.host, deps.copyMode, paths, signal);
}

function cannotCopyDevice(id: string): Error {
  return volumeError('FAILED_PRECONDITION', `block volume ${id} is in use, and this node can only copy it slowly`, {
    nextStep: 'Stop its pods first, or give the state directory a file system with reflink (XFS).',
  });
}
