import { jobType } from '@lateen/api-types';
import { type AppError, isAppError } from '@lateen/errors';
import { waitForObject } from '@lateen/kube-runtime';
import { jobEnd } from '@lateen/maintenance';
import type { TaskPorts } from './task-ports.ts';

export const busyLimits = {
  /** How long to wait for the end of another Job on the repository. */
  waitMsMax: 1_800_000,
  /** The shortest pause before the next attempt: the cause of the refusal may be invisible to us. */
  pauseMs: 5_000,
} as const;

/**
 * Runs `work`; when it is refused because a Job works on the repository, waits for the end of that Job and tries again.
 * @throws what `work` throws; REPOSITORY_BUSY after {@link busyLimits}.waitMsMax; the signal's reason while it waits
 */
export async function whenIdle<T>(
  ports: Pick<TaskPorts, 'kube' | 'clock' | 'random'>,
  { namespace, onWait, signal }: { namespace: string; onWait: (why: string) => void; signal: AbortSignal },
  work: () => Promise<T>,
): Promise<T> {
  const untilMs = ports.clock.monotonicMs() + busyLimits.waitMsMax;
  for (;;) {
    try {
      return await work();
    } catch (error) {
      const leftMs = untilMs - ports.clock.monotonicMs();
      if (!isAppError(error, 'REPOSITORY_BUSY') || leftMs <= 0) throw error;
      onWait(error.message);
      await endOfOther(ports, { namespace, error, leftMs, signal });
      await ports.clock.sleep(busyLimits.pauseMs, signal);
    }
  }
}

/** Resolves when that Job has ended or is gone, or the time is up. */
async function endOfOther(
  { kube, clock, random }: Pick<TaskPorts, 'kube' | 'clock' | 'random'>,
  { namespace, error, leftMs, signal }: { namespace: string; error: AppError; leftMs: number; signal: AbortSignal },
): Promise<void> {
  const { job: name } = error.details;
  if (typeof name !== 'string') return;
  const over = clock.deadline(leftMs);
  const key = { namespace, name };
  const until = (job: Parameters<typeof jobEnd>[0] | undefined) =>
    job && jobEnd(job) === undefined ? undefined : true;
  try {
    await waitForObject({
      api: kube,
      type: jobType,
      key,
      until,
      signal: AbortSignal.any([signal, over]),
      clock,
      random,
    });
  } catch (reason) {
    signal.throwIfAborted();
    // A user without the right to watch Jobs just tries again.
    if (!over.aborted && !isAppError(reason)) throw reason;
  }
}
