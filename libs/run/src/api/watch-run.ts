import { AppError } from '@lateen/errors';
import type { Informer } from '@lateen/kube-runtime';
import type { RunKind } from '../run-kind.ts';
import type { RunObject } from '../run-object.ts';
import { workedOnBy } from './run-writes.ts';

/** Why a run has to end before its work is done. */
export type RunInterruption = 'RUN_CANCELED' | 'RUN_DELETED' | 'RUN_TAKEN_OVER';

export interface RunWatch {
  /** Aborts with an AppError of one of the codes of {@link RunInterruption}. */
  readonly signal: AbortSignal;
  stop(): void;
}

/**
 * Watches the object of a run through the informer: a cancellation, a deletion, or a takeover by another process ends the run.
 * @param before the process that worked on it before this run took it over: the cache may show an older state
 */
export function watchRun<R extends RunObject>(
  kind: RunKind<R>,
  informer: Pick<Informer<R>, 'onChange'>,
  run: R,
  before?: string,
): RunWatch {
  const ended = new AbortController();
  const { name, namespace, uid } = run.metadata;
  const stop = informer.onChange(({ type, object }) => {
    if (object.metadata.name !== name || object.metadata.namespace !== namespace || ended.signal.aborted) return;
    const why =
      type === 'deleted' && object.metadata.uid === uid ? 'RUN_DELETED' : interruption(kind, run, object, before);
    if (why !== undefined) ended.abort(interruptionError(kind, why, run));
  });
  return { signal: ended.signal, stop };
}

/** Whether the run has to end, from the present state of its object. Pure. */
export function interruption<R extends RunObject>(
  kind: RunKind<R>,
  run: R,
  now: R,
  before?: string,
): RunInterruption | undefined {
  if (now.metadata.uid !== run.metadata.uid || now.metadata.deletionTimestamp !== undefined) return 'RUN_DELETED';
  const phase = kind.phases.phaseOf(now);
  // The cache may be older than the claim of this run.
  if (phase === kind.unclaimed) return now.spec.cancel === true ? 'RUN_CANCELED' : undefined;
  const worker = workedOnBy(now);
  const isOlder = before !== undefined && worker === before;
  if (phase !== 'InProgress' || (worker !== workedOnBy(run) && !isOlder)) return 'RUN_TAKEN_OVER';
  return now.spec.cancel === true ? 'RUN_CANCELED' : undefined;
}

const words: Readonly<Record<RunInterruption, string>> = {
  RUN_CANCELED: 'is to be cancelled',
  RUN_DELETED: 'was deleted while it ran',
  RUN_TAKEN_OVER: 'was taken over by another controller while it ran',
};

export const interruptionError = <R extends RunObject>(
  { type }: Pick<RunKind<R>, 'type'>,
  code: RunInterruption,
  { metadata }: Pick<R, 'metadata'>,
): AppError => new AppError(code, `${type.kind} ${metadata.name ?? ''} ${words[code]}`);
