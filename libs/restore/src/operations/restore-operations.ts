import { type BackupStorageLocation, backupStorageLocationType, backupType, type Restore } from '@lateen/api-types';
import { type RestoreOperation, type RestoreStore, restoreStore } from '@lateen/backup-store';
import type { RestoreOperationContext } from '@lateen/item-actions';
import { readObject } from '@lateen/kube';
import { type LocationForOperations, numberOrNone, type OperationsKind } from '@lateen/run';
import { withStore } from '@lateen/storage-location';
import { restoreWrites } from '../api/write-restore.ts';
import type { RestorePorts } from '../restore-ports.ts';

export type RestoreOperationsKind = OperationsKind<Restore, RestoreOperation, RestoreOperationContext, RestoreStore>;

/** How the operations of restores are followed. */
export function restoreOperations(ports: RestorePorts): RestoreOperationsKind {
  const { clock, log, actions } = ports;
  return {
    writes: restoreWrites,
    clock,
    log,
    actions,
    actionOf: ({ spec }) => spec.restoreItemAction,
    contextOf: (restore) => operationContext(ports, restore),
    locationOf: (restore, signal) => restoreLocation(ports, restore, signal),
    inStore: (location, use, signal) => inRestoreStore(ports, location, use, signal),
    countsOf: (status) => ({
      completed: status?.restoreItemOperationsCompleted ?? 0,
      failed: status?.restoreItemOperationsFailed ?? 0,
    }),
    statusOf: ({ completed, failed }) => ({
      restoreItemOperationsCompleted: numberOrNone(completed),
      restoreItemOperationsFailed: numberOrNone(failed),
    }),
  };
}

export const operationContext = (
  { kube, clock, random, log, namespace }: RestorePorts,
  restore: Restore,
): RestoreOperationContext => ({ kube, clock, random, log, veleroNamespace: namespace, restore });

export const inRestoreStore = <T>(
  ports: RestorePorts,
  location: BackupStorageLocation,
  use: (files: RestoreStore) => Promise<T>,
  signal: AbortSignal,
): Promise<T> =>
  withStore(ports, location, { signal, customerKey: true }, (store, { prefix }) =>
    use(ports.kept.over(restoreStore(store, prefix))),
  );

/**
 * The location of a restore's files. A read-only location is written to all the same: read-only protects backups, and users set it while
 * they restore (docs/adr/0040).
 */
export async function restoreLocation(
  { kube, namespace }: Pick<RestorePorts, 'kube' | 'namespace'>,
  { spec }: Restore,
  signal: AbortSignal,
): Promise<LocationForOperations> {
  const { backupName: name = '' } = spec;
  const backup = await readObject(kube, backupType, { namespace, name }, signal);
  if (backup === undefined) return { gone: `Backup ${name} does not exist any more` };
  const place = backup.spec.storageLocation ?? '';
  const location = await readObject(kube, backupStorageLocationType, { namespace, name: place }, signal);
  return location === undefined
    ? { gone: `BackupStorageLocation ${place} does not exist any more` }
    : { usable: location };
}
