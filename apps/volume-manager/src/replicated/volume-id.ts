import { objectNameOf } from '@lateen/replicated-engine';
import { volumeError } from '@lateen/volume';

/** Whether a volume can have this ID: the name of its object. What cannot be is never looked up, and becomes no path. */
export const isVolumeId = (id: string): boolean => id !== '' && Buffer.byteLength(id) <= 63 && objectNameOf(id) === id;

/** @throws AppError `INVALID_ARGUMENT` when it is missing, `NOT_FOUND` when no volume can have it */
export function requiredVolumeId(id: string): string {
  if (id === '') throw volumeError('INVALID_ARGUMENT', 'volume_id is missing');
  if (!isVolumeId(id)) throw volumeError('NOT_FOUND', 'no volume has this volume_id');
  return id;
}
