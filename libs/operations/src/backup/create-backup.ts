import { type Backup, type BackupSpec, backupType } from '@lateen/api-types';
import type { KubeApi } from '@lateen/kube';
import { findLocations } from '../backup-location/find-locations.ts';
import { findObjects } from '../noun/find-objects.ts';
import { newRun, type WantedRun } from '../run/new-run.ts';
import { snapshotLocationNoun } from '../snapshot-location/snapshot-location-noun.ts';
import { backupNoun } from './backup-noun.ts';

/** Builds the Backup object; pure. */
export const newBackup = (wanted: WantedRun<Backup>): Backup => newRun(backupNoun, wanted);

/**
 * Creates the Backup if the locations that it names exist; otherwise the server would set it to FailedValidation.
 * @throws AppError LOCATION_NOT_FOUND, SNAPSHOT_LOCATION_NOT_FOUND; KUBE_ALREADY_EXISTS
 */
export async function createBackup(kube: KubeApi, backup: Backup, signal: AbortSignal): Promise<Backup> {
  await checkLocations(kube, backup.metadata.namespace ?? '', backup.spec, signal);
  return await kube.create(backupType, backup, { signal });
}

/** @throws AppError LOCATION_NOT_FOUND, SNAPSHOT_LOCATION_NOT_FOUND */
export async function checkLocations(
  kube: KubeApi,
  namespace: string,
  { storageLocation, volumeSnapshotLocations }: BackupSpec,
  signal: AbortSignal,
): Promise<void> {
  if (storageLocation) await findLocations(kube, namespace, { names: [storageLocation] }, signal);
  if (volumeSnapshotLocations && volumeSnapshotLocations.length > 0)
    await findObjects(kube, snapshotLocationNoun, namespace, { names: volumeSnapshotLocations }, signal);
}
