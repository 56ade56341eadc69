import { type Job, jobType } from '@lateen/api-types';
import { describeError, isAppError } from '@lateen/errors';
import { age } from '@lateen/kernel';
import { isNotFound, keyOf, keyText } from '@lateen/kube';
import { followedMs } from '@lateen/maintenance';
import type { TaskPorts } from './task-ports.ts';

/** The interval is short enough that an API server may be unreachable for a while. */
const everyMs = followedMs / 6;

/**
 * Postpones the deadline of a Job while it is followed: the deadline is always {@link followedMs} ahead. When the terminal is closed or
 * the machine sleeps, the Job ends by itself. Resolves when `signal` aborts or the Job is gone.
 */
export async function keepAlive(
  { kube, clock }: Pick<TaskPorts, 'kube' | 'clock'>,
  job: Job,
  onRemark: (text: string) => void,
  signal: AbortSignal,
): Promise<void> {
  const createdMs = clock.monotonicMs();
  for (;;) {
    await clock.sleep(everyMs, signal).catch(() => {});
    if (signal.aborted) return;
    const activeDeadlineSeconds = Math.ceil((clock.monotonicMs() - createdMs + followedMs) / 1000);
    try {
      const body = { spec: { activeDeadlineSeconds } };
      await kube.patch(jobType, keyOf(job), { type: 'merge', body }, { signal });
    } catch (error) {
      if (signal.aborted || isNotFound(error)) return;
      // Other errors are retried in the next round.
      if (!isAppError(error, 'KUBE_FORBIDDEN')) continue;
      const left = age(createdMs + followedMs - clock.monotonicMs());
      onRemark(
        `Job ${keyText(keyOf(job))} ends in ${left}, because its deadline cannot be extended: ${describeError(error)}`,
      );
      return;
    }
  }
}
