import type { Clock } from '@lateen/kernel';
import type { Informer } from '@lateen/kube-runtime';
import type { Engine } from '@lateen/storage-types';
import { isSameJson } from '../../frame/guarded-writes.ts';

const progressOf = ({ status }: Engine) => [
  status?.rebuildStatus,
  status?.restoreStatus,
  // The result of the last purge stays in the status.
  Object.fromEntries(Object.entries(status?.purgeStatus ?? {}).filter(([, { isPurging }]) => isPurging === true)),
];

/** Time since the progress in the status of an engine last changed, as its cache showed it; infinite when no change was seen. */
export function progressClock(
  engines: Pick<Informer<Engine>, 'onChange'>,
  clock: Pick<Clock, 'monotonicMs'>,
): (engine: Engine) => number {
  const changedMs = new Map<string, number>();
  engines.onChange((change) => {
    const { uid = '' } = change.object.metadata;
    const isDone = progressOf(change.object).every((each) => Object.keys(each ?? {}).length === 0);
    if (change.type === 'deleted' || isDone) changedMs.delete(uid);
    else if (change.type === 'added') changedMs.set(uid, clock.monotonicMs());
    else if (!isSameJson(progressOf(change.previous), progressOf(change.object)))
      changedMs.set(uid, clock.monotonicMs());
  });
  return ({ metadata }) => {
    const since = changedMs.get(metadata.uid ?? '');
    return since === undefined ? Number.POSITIVE_INFINITY : clock.monotonicMs() - since;
  };
}
