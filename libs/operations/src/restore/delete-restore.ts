import { type Restore, restoreType } from '@lateen/api-types';
import { deleteIfThere, type KubeApi, keyOf } from '@lateen/kube';
import { waitForObject } from '@lateen/kube-runtime';
import type { FollowPorts } from '../run/follow-run.ts';

/** Requests the deletion of a restore; the server deletes its files in the bucket first (its finalizer). */
export const deleteRestore = (kube: KubeApi, restore: Restore, signal: AbortSignal): Promise<void> =>
  deleteIfThere(kube, restoreType, restore, signal);

/** Resolves when the restore is gone, or another one has its name. On abort: rejects with the signal's reason. */
export async function untilRestoreGone(
  { kube, clock, random }: FollowPorts,
  restore: Restore,
  signal: AbortSignal,
): Promise<void> {
  const { uid } = restore.metadata;
  await waitForObject<Restore, true>({
    api: kube,
    type: restoreType,
    key: keyOf(restore),
    clock,
    random,
    signal,
    until: (seen) => (seen === undefined || seen.metadata.uid !== uid ? true : undefined),
  });
}
