import { type Backup, type BackupStorageLocation, finalizers, type Restore, restoreType } from '@lateen/api-types';
import { restoreStore } from '@lateen/backup-store';
import { deleteOldData } from '@lateen/item-actions';
import type { Logger } from '@lateen/kernel';
import { isNotFound, type ObjectKey } from '@lateen/kube';
import { again, type Outcome, type Reconciler, settled } from '@lateen/kube-runtime';
import { type ReachPorts, withStore } from '@lateen/storage-location';

export interface RestoreCleanUpPorts extends ReachPorts {
  /** From informers' caches. */
  getRestore(key: ObjectKey): Restore | undefined;
  getBackup(key: ObjectKey): Backup | undefined;
  getLocation(key: ObjectKey): BackupStorageLocation | undefined;
  log: Logger;
}

/** A location that is not available is asked again so often. */
const unavailableMs = 60_000;

/**
 * Deletes the files of a Restore that is being deleted, then lets it go. Where its Backup or location is gone, or takes no deletions, the
 * files are left (object-store-layout.md section 11).
 */
export function restoreCleanUpReconciler(ports: RestoreCleanUpPorts): Reconciler {
  return {
    reconcile: async (key, signal) => {
      const restore = ports.getRestore(key);
      if (restore?.metadata.deletionTimestamp === undefined || !isHeld(restore)) return settled;
      const location = locationOf(ports, key, restore);
      if (location !== undefined && location.spec.accessMode !== 'ReadOnly') {
        if (location.status?.phase !== 'Available') return again(unavailableMs, 'its location is not available');
        await withStore(ports, location, { signal, customerKey: true }, async (objects, { prefix }) => {
          await restoreStore(objects, prefix).deleteRestore(key.name, { signal });
        });
      } else {
        ports.log.info({ restore: key.name }, 'the files of a restore are left: its location is gone or read-only');
      }
      // A rollback is not possible from now on.
      await deleteOldData(ports.kube, restore, signal);
      return await release(ports, key, restore, signal);
    },
  };
}

/** Its files can be deleted: no controller works on it that would write them again. */
export const isHeld = ({ metadata: { finalizers: names = [] } }: Restore): boolean =>
  names.includes(finalizers.restoreExternalResources) && !names.includes(finalizers.restoreUnderWay);

function locationOf(ports: RestoreCleanUpPorts, { namespace }: ObjectKey, { spec }: Restore) {
  const backup = spec.backupName ? ports.getBackup({ namespace, name: spec.backupName }) : undefined;
  return ports.getLocation({ namespace, name: backup?.spec.storageLocation ?? '' });
}

async function release(
  { kube, log }: RestoreCleanUpPorts,
  key: ObjectKey,
  { metadata }: Restore,
  signal: AbortSignal,
): Promise<Outcome> {
  const { resourceVersion } = metadata;
  const rest = (metadata.finalizers ?? []).filter((each) => each !== finalizers.restoreExternalResources);
  const body = { metadata: { resourceVersion, finalizers: rest } };
  await kube.patch(restoreType, key, { type: 'merge', body }, { signal }).catch((error: unknown) => {
    if (!isNotFound(error)) throw error;
  });
  log.info({ restore: key.name }, 'a restore is deleted with its files');
  return settled;
}
