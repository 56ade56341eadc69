import type { BackupPhase } from '@lateen/api-types';
import { describeError } from '@lateen/errors';
import { apiTime } from '@lateen/kube';
import type { BackupPatch } from '../api/write-backup.ts';
import { numberOrNone } from './run-end.ts';

/** What a run has come to, for the Backup; written until the API server has it. */
export interface Verdict {
  phase: BackupPhase;
  patch: BackupPatch;
}

/** The backup as a whole came to nothing. Pure. */
export function failedVerdict(error: unknown, counts: { warnings: number; errors: number }, nowMs: number): Verdict {
  return {
    phase: 'Failed',
    patch: {
      status: {
        failureReason: describeError(error),
        completionTimestamp: apiTime(nowMs),
        warnings: numberOrNone(counts.warnings),
        errors: numberOrNone(counts.errors),
      },
    },
  };
}
