import { describeError } from '@lateen/errors';
import { apiTime } from '@lateen/kube';
import type { PhaseOf, RunPatch, StatusPatch } from './run-kind.ts';
import type { RunObject } from './run-object.ts';

/** The result of a run; its write is repeated until the API server accepts it. */
export interface Verdict<R extends RunObject> {
  phase: PhaseOf<R>;
  patch: RunPatch<R>;
}

/** The verdict for a run that failed as a whole. Pure. */
export function failedVerdict<R extends RunObject>(
  error: unknown,
  counts: { warnings: number; errors: number },
  nowMs: number,
): Verdict<R> {
  const status: StatusPatch<RunObject> = {
    failureReason: describeError(error),
    completionTimestamp: apiTime(nowMs),
    warnings: numberOrNone(counts.warnings),
    errors: numberOrNone(counts.errors),
  };
  return { phase: 'Failed' as PhaseOf<R>, patch: { status: status as StatusPatch<R> } };
}

/** Velero leaves out numbers that are zero. */
export const numberOrNone = (count: number): number | null => (count === 0 ? null : count);
