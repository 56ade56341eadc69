import { type Schedule, scheduleType } from '@lateen/api-types';
import { isNotFound, type KubeApi, keyOf } from '@lateen/kube';

/**
 * Pauses or resumes a schedule. @param skipImmediately whether a run that is due at once waits for its next time; absent: unchanged
 * @returns false when the schedule has this state already, and nothing was written
 */
export async function setPaused(
  kube: KubeApi,
  schedule: Schedule,
  { paused, skipImmediately }: { paused: boolean; skipImmediately?: boolean | undefined },
  signal: AbortSignal,
): Promise<boolean> {
  if ((schedule.spec.paused === true) === paused) return false;
  const spec = { paused, ...(skipImmediately === undefined ? {} : { skipImmediately }) };
  await kube.patch(scheduleType, keyOf(schedule), { type: 'merge', body: { spec } }, { signal });
  return true;
}

/** Deletes the schedule; its backups stay, unless they are owned by it. One that is gone already counts as deleted. */
export async function deleteSchedule(kube: KubeApi, schedule: Schedule, signal: AbortSignal): Promise<void> {
  const { uid } = schedule.metadata;
  const preconditions = uid === undefined ? {} : { preconditions: { uid } };
  try {
    await kube.delete(scheduleType, keyOf(schedule), { signal, ...preconditions });
  } catch (error) {
    if (!isNotFound(error)) throw error;
  }
}
