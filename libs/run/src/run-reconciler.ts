import { isConflict, isNotFound, type KubeApi, type ObjectKey, readObject } from '@lateen/kube';
import { type Outcome, type Reconciler, settled } from '@lateen/kube-runtime';
import type { RunKind } from './run-kind.ts';
import type { RunObject } from './run-object.ts';

/** `next`: look at the object again, at once. */
export type StepEnd = Outcome | 'next';

/** The function of each step. */
export type RunSteps<R extends RunObject, S extends string, C> = Readonly<
  Record<S, (context: C, run: R, signal: AbortSignal) => Promise<StepEnd>>
>;

export interface RunReconcilerOptions<R extends RunObject, S extends string, C> {
  kube: KubeApi;
  kind: Pick<RunKind<R>, 'type'>;
  /** From the informer's cache. */
  get(key: ObjectKey): R | undefined;
  /** Pure. `leave`: there is nothing to do. */
  decide(run: R): S | 'leave';
  context: C;
  steps: RunSteps<R, S, C>;
}

/** Brings an object to its end, one step after the other; a run occupies its worker for its whole duration. */
export function runReconciler<R extends RunObject, S extends string, C>({
  kube,
  kind,
  get,
  decide,
  context,
  steps,
}: RunReconcilerOptions<R, S, C>): Reconciler {
  const stepByStep = async (key: ObjectKey, signal: AbortSignal): Promise<Outcome> => {
    for (;;) {
      // The cache may be older than the end of the previous run of this object.
      const run = await readObject(kube, kind.type, key, signal);
      if (run === undefined) return settled;
      const step = decide(run);
      const end = step === 'leave' ? settled : await steps[step](context, run, signal);
      if (end !== 'next') return end;
    }
  };
  return {
    reconcile: async (key, signal) => {
      const cached = get(key);
      if (cached === undefined || decide(cached) === 'leave') return settled;
      try {
        return await stepByStep(key, signal);
      } catch (error) {
        // Another writer has changed or deleted it: the watch delivers the new state.
        if (isConflict(error) || isNotFound(error)) return settled;
        throw error;
      }
    },
  };
}
