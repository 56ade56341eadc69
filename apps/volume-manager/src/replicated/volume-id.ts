import { objectNameOf } from '@lateen/replicated-engine';
import { volumeError } from '@lateen/volume';

/** Whether a volume can have this ID, which is the name of its object. An impossible ID is never looked up, and never used as a path. */
export const isVolumeId = (id: string): boolean => id !== '' && Buffer.byteLength(id) <= 63 && objectNameOf(id) === id;

/** @throws AppError `INVALID_ARGUMENT` when it is missing, `NOT_FOUND` when no volume can have it */
export function requiredVolumeId(id: string): string {
  if (id === '') throw volumeError('INVALID_ARGUMENT', 'volume_id is missing');
  if (!isVolumeId(id)) throw volumeError('NOT_FOUND', 'no volume has this volume_id');
  return id;
}
