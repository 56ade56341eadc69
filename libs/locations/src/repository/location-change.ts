import type { BackupStorageLocation } from '@lateen/api-types';
import type { Change } from '@lateen/kube-runtime';
import { placeFingerprint } from '@lateen/storage-location';

/** Whether a change of a location is anything to its repositories: each validation writes a time; that alone is not. Pure. */
export function concernsRepositories(change: Change<BackupStorageLocation>): boolean {
  if (change.type !== 'updated') return true;
  const { object, previous } = change;
  return (
    object.status?.phase !== previous.status?.phase ||
    object.spec.accessMode !== previous.spec.accessMode ||
    placeFingerprint(object) !== placeFingerprint(previous)
  );
}
