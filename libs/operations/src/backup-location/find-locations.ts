import { type BackupStorageLocation, backupStorageLocationType } from '@lateen/api-types';
import type { AppError } from '@lateen/errors';
import type { KubeApi } from '@lateen/kube';
import { findObjects, objectNotFound, type Selection } from '../noun/find-objects.ts';
import type { Noun } from '../noun/noun.ts';

export const locationNoun: Noun<BackupStorageLocation> = {
  type: backupStorageLocationType,
  word: 'backup-location',
  notFoundCode: 'LOCATION_NOT_FOUND',
};

/** Returns the selected locations. @throws AppError LOCATION_NOT_FOUND */
export const findLocations = (
  kube: KubeApi,
  namespace: string,
  selection: Selection,
  signal: AbortSignal,
): Promise<BackupStorageLocation[]> => findObjects(kube, locationNoun, namespace, selection, signal);

export const locationNotFound = (names: readonly string[]): AppError => objectNotFound(locationNoun, names);
