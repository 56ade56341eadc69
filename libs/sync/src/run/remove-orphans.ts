import { type Backup, type BackupStorageLocation, backupStorageLocationType, backupType } from '@lateen/api-types';
import type { BackupStore } from '@lateen/backup-store';
import { isConflict, isNotFound, keyOf, readObject } from '@lateen/kube';
import { placeFingerprint } from '@lateen/storage-location';
import type { SyncPorts } from './sync-ports.ts';

/**
 * Deletes Backups of the cluster whose files are gone, each only after the bucket was asked for it by itself, and only while the location
 * is what it was when it was listed. Resolves with their names. @throws KUBE_…, what the store throws
 */
export async function removeOrphans(
  ports: SyncPorts,
  { location, store, gone }: { location: BackupStorageLocation; store: BackupStore; gone: readonly Backup[] },
  signal: AbortSignal,
): Promise<string[]> {
  const removed: string[] = [];
  for (const backup of gone) {
    const name = backup.metadata.name ?? '';
    if (await store.exists(name, { signal })) continue;
    if (!(await isStillThere(ports, location, signal))) return removed;
    if (!(await remove(ports, backup, signal))) continue;
    ports.log.info(
      { location: location.metadata.name, backup: name },
      'a Backup is removed: the location no longer has it',
    );
    removed.push(name);
  }
  return removed;
}

/** The location shows the place that was listed, and is available. */
async function isStillThere(
  { kube }: SyncPorts,
  location: BackupStorageLocation,
  signal: AbortSignal,
): Promise<boolean> {
  const now = await readObject(kube, backupStorageLocationType, keyOf(location), signal);
  return (
    now !== undefined &&
    now.metadata.uid === location.metadata.uid &&
    now.metadata.deletionTimestamp === undefined &&
    now.status?.phase === 'Available' &&
    placeFingerprint(now) === placeFingerprint(location)
  );
}

/** False when it is another object by now, or has changed: the next look decides again. */
async function remove({ kube }: SyncPorts, { metadata }: Backup, signal: AbortSignal): Promise<boolean> {
  const { uid, resourceVersion } = metadata;
  const preconditions = {
    ...(uid === undefined ? {} : { uid }),
    ...(resourceVersion === undefined ? {} : { resourceVersion }),
  };
  try {
    await kube.delete(backupType, keyOf({ metadata }), { preconditions, signal });
    return true;
  } catch (error) {
    if (isNotFound(error) || isConflict(error)) return false;
    throw error;
  }
}
