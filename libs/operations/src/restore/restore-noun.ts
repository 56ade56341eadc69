import { labels, type Restore, type RestorePhase, restoreType } from '@lateen/api-types';
import type { RunNoun } from '../run/run-noun.ts';

const endPhases: ReadonlySet<RestorePhase> = new Set([
  'FailedValidation',
  'Completed',
  'PartiallyFailed',
  'Failed',
  'Canceled',
]);

/** An absent or empty phase is New. */
export const restorePhaseOf = ({ status }: Pick<Restore, 'status'>): RestorePhase => status?.phase || 'New';

export const restoreHasEnded = (restore: Pick<Restore, 'status'>): boolean => endPhases.has(restorePhaseOf(restore));

export const restoreNoun: RunNoun<Restore> = {
  type: restoreType,
  word: 'restore',
  notFoundCode: 'RESTORE_NOT_FOUND',
  deletedCode: 'RESTORE_DELETED',
  movements: { kinds: ['DataDownload', 'PodVolumeRestore'], label: labels.restoreName },
  phaseOf: restorePhaseOf,
  hasEnded: restoreHasEnded,
  countsOf: ({ status }) => ({
    items: { done: status?.progress?.itemsRestored ?? 0, total: status?.progress?.totalItems ?? 0 },
    operations: {
      attempted: status?.restoreItemOperationsAttempted ?? 0,
      completed: status?.restoreItemOperationsCompleted ?? 0,
      failed: status?.restoreItemOperationsFailed ?? 0,
    },
  }),
};
