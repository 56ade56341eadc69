import type { PodVolumeRestore } from '@lateen/api-types';
import type { OperationProgress } from '../../contract/operation-progress.ts';
import { progressOf } from '../../csi/movement-operations.ts';
import { failureOf, failureOfEnded } from './failure-of.ts';

/** The progress, with a failure in Velero's words. Pure. */
export function podVolumeProgress(restore: PodVolumeRestore): OperationProgress {
  const error = failureOf(restore);
  const progress = progressOf('PodVolumeRestore', restore);
  return error === undefined ? progress : { ...progress, completed: true, error };
}

/** The progress of a movement that is no longer followed. Pure. */
export function endedProgress(restore: PodVolumeRestore): OperationProgress {
  const progress = podVolumeProgress(restore);
  const error = failureOfEnded(restore);
  return progress.completed || error === undefined ? progress : { ...progress, completed: true, error };
}
