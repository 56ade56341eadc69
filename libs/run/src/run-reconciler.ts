import { isConflict, isNotFound, type KubeApi, type ObjectKey, readObject } from '@lateen/kube';
import { type Outcome, type Reconciler, settled } from '@lateen/kube-runtime';
import type { RunKind } from './run-kind.ts';
import type { RunObject } from './run-object.ts';

/** `next`: the object is to be looked at again, at once. */
export type StepEnd = Outcome | 'next';

/** What each step does. */
export type RunSteps<R extends RunObject, S extends string, C> = Readonly<
  Record<S, (context: C, run: R, signal: AbortSignal) => Promise<StepEnd>>
>;

export interface RunReconcilerOptions<R extends RunObject, S extends string, C> {
  kube: KubeApi;
  kind: Pick<RunKind<R>, 'type'>;
  /** From the informer's cache. */
  get(key: ObjectKey): R | undefined;
  /** Pure. `leave`: nothing is to be done. */
  decide(run: R): S | 'leave';
  context: C;
  steps: RunSteps<R, S, C>;
}

/** Takes an object to its end, one step after the other; a run holds its worker for as long as it takes. */
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
      // What a cache shows may be older than the end of the run that was here a moment ago.
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
        // Somebody else has written to it or deleted it: the watch brings it back as it is.
        if (isConflict(error) || isNotFound(error)) return settled;
        throw error;
      }
    },
  };
}
