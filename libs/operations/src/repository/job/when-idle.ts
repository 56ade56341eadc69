import { jobType } from '@lateen/api-types';
import { type AppError, isAppError } from '@lateen/errors';
import { waitForObject } from '@lateen/kube-runtime';
import { jobEnd } from '@lateen/maintenance';
import type { TaskPorts } from './task-ports.ts';

export const busyLimits = {
  /** Somebody else's Job is let come to its end for so long. */
  waitMsMax: 1_800_000,
  /** Before the next try at least: what keeps the repository busy may not be seen. */
  pauseMs: 5_000,
} as const;

/**
 * Does `work`; when it is refused because a Job is at work on the repository, waits for the end of that and begins again.
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

/** Resolves when that Job has ended or is gone, or the time is over. */
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
    // Whoever may not watch Jobs tries again instead.
    if (!over.aborted && !isAppError(reason)) throw reason;
  }
}
