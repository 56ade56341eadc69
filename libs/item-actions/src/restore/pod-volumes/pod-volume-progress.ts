import type { PodVolumeRestore } from '@lateen/api-types';
import type { OperationProgress } from '../../contract/operation-progress.ts';
import { progressOf } from '../../csi/movement-operations.ts';
import { failureOf } from './failed-pod-volumes.ts';

/** In the reference's words where it has failed. Pure. */
export function podVolumeProgress(restore: PodVolumeRestore): OperationProgress {
  const error = failureOf(restore);
  const progress = progressOf('PodVolumeRestore', restore);
  return error === undefined ? progress : { ...progress, completed: true, error };
}
