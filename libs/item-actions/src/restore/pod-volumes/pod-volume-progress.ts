import type { PodVolumeRestore } from '@lateen/api-types';
import type { OperationProgress } from '../../contract/operation-progress.ts';
import { progressOf } from '../../csi/movement-operations.ts';
import { failureOf, failureOfEnded } from './failure-of.ts';

/** In Velero's words where it has failed. Pure. */
export function podVolumeProgress(restore: PodVolumeRestore): OperationProgress {
  const error = failureOf(restore);
  const progress = progressOf('PodVolumeRestore', restore);
  return error === undefined ? progress : { ...progress, completed: true, error };
}

/** Of one that nobody follows any more. Pure. */
export function endedProgress(restore: PodVolumeRestore): OperationProgress {
  const progress = podVolumeProgress(restore);
  const error = failureOfEnded(restore);
  return progress.completed || error === undefined ? progress : { ...progress, completed: true, error };
}
