import { annotations, type PodVolumeRestore } from '@lateen/api-types';
import type { OperationProgress } from '../../contract/operation-progress.ts';
import { progressOf } from '../../csi/movement-operations.ts';
import { failureOf } from './lost-volumes.ts';

/** In the reference's words where it has failed. Pure. */
export function podVolumeProgress(restore: PodVolumeRestore): OperationProgress {
  const error = failureOf(restore);
  const progress = progressOf('PodVolumeRestore', restore);
  return error === undefined ? progress : { ...progress, completed: true, error };
}

/** Of one that nobody follows any more: it has ended, is gone, or does not end although it was cancelled long ago. Pure. */
export function endedProgress(restore: PodVolumeRestore): OperationProgress {
  const progress = podVolumeProgress(restore);
  if (progress.completed) return progress;
  const { name, annotations: noted } = restore.metadata;
  const error = restore.spec.cancel
    ? `PodVolumeRestore ${name} does not end: ${noted?.[annotations.canceledBecause] ?? 'it was cancelled'}`
    : `PodVolumeRestore ${name} was deleted`;
  return { ...progress, completed: true, error };
}
