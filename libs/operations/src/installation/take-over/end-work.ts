import { AppError } from '@lateen/errors';
import { type Clock, durationText } from '@lateen/kernel';
import { apiTime, isNotFound, type KubeApi } from '@lateen/kube';
import { dropFinalizers } from '../uninstall/drop-finalizers.ts';
import type { Waiting } from '../uninstall/until-gone.ts';
import { inShort, isAtWork } from './plan-take-over.ts';
import { referenceWorkloads } from './reference-installation.ts';
import { titleOfWork, type UnfinishedWork, unfinishedWork } from './unfinished-work.ts';

/** How often the work is checked again; backups take minutes to hours. */
const lookAgainMs = 2_000;

interface Options extends Waiting {
  kube: KubeApi;
  clock: Clock;
}

/**
 * Waits until all work has ended that the pods of Velero bring to an end; work without such a pod is not waited for.
 * With `force`, movements are canceled first, and work that has not ended after the time-out is left for {@link endWork}.
 * @throws AppError TAKE_OVER_BUSY after the time-out without `force`: nothing is changed then
 */
export async function waitForWork(namespace: string, force: boolean, options: Options): Promise<void> {
  const { kube, clock, signal, timeoutMs, onWaiting } = options;
  const giveUpMs = clock.monotonicMs() + timeoutMs;
  for (let isFirst = true; ; isFirst = false) {
    const [found, work] = await Promise.all([
      referenceWorkloads(kube, namespace, signal),
      unfinishedWork(kube, namespace, signal),
    ]);
    const busy = work.filter(({ worker }) => isAtWork(worker, found));
    if (busy.length === 0) return;
    if (force && isFirst) for (const each of busy) await cancel(each, namespace, options);
    if (clock.monotonicMs() >= giveUpMs) {
      if (force) return;
      throw new AppError(
        'TAKE_OVER_BUSY',
        `${inShort(busy.map(titleOfWork))} did not end within ${durationText(timeoutMs)}; nothing was changed`,
        {
          retry: 'later',
          nextStep:
            'Wait longer with --timeout, and pause schedules that begin new backups; --force ends what has not ended by then.',
        },
      );
    }
    onWaiting(inShort(busy.map(titleOfWork)));
    await clock.sleep(lookAgainMs, signal);
  }
}

/**
 * Ends unfinished work when no pod of Velero runs any more: Backups and Restores get a failed phase with a reason, as Velero's server
 * would set it at its next start; movements are canceled, and the new node-agents conclude them.
 * @returns the work that was ended, without the work that is left as it is
 */
export async function endWork(namespace: string, options: Options): Promise<UnfinishedWork[]> {
  const { kube, clock, signal } = options;
  const ended = (await unfinishedWork(kube, namespace, signal)).filter(({ ending }) => ending !== 'leave');
  const completionTimestamp = apiTime(clock.now());
  for (const work of ended) {
    await cancel(work, namespace, options);
    if (work.ending === 'fail')
      await patch(
        work,
        namespace,
        { status: { phase: 'Failed', failureReason: reason, completionTimestamp } },
        options,
      );
    if (work.ending !== 'conclude') continue;
    await patch(work, namespace, { status: { phase: 'Canceled', message: reason, completionTimestamp } }, options);
    await dropFinalizers(work.type, { namespace, name: work.name }, options);
  }
  return ended;
}

const reason = 'it had not ended when Lateen took over the installation of Velero';

/** Only movements can be canceled. */
async function cancel(work: UnfinishedWork, namespace: string, options: Options): Promise<void> {
  if (work.ending === 'cancel' || work.ending === 'conclude')
    await patch(work, namespace, { spec: { cancel: true } }, options);
}

async function patch(
  { type, name }: UnfinishedWork,
  namespace: string,
  body: object,
  { kube, signal }: Pick<Options, 'kube' | 'signal'>,
): Promise<void> {
  try {
    await kube.patch(type, { namespace, name }, { type: 'merge', body }, { signal });
  } catch (error) {
    // A movement that is gone has ended too.
    if (!isNotFound(error)) throw error;
  }
}
