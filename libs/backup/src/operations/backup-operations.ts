import type { Backup } from '@lateen/api-types';
import { type BackupOperation, type BackupStore, backupStore } from '@lateen/backup-store';
import type { OperationContext } from '@lateen/item-actions';
import { numberOrNone, type OperationsKind, usableLocation } from '@lateen/run';
import { withStore } from '@lateen/storage-location';
import { backupWrites } from '../api/write-backup.ts';
import type { BackupPorts } from '../backup-ports.ts';
import { storedBackup } from '../run/stored-backup.ts';

export type BackupOperationsKind = OperationsKind<Backup, BackupOperation, OperationContext, BackupStore>;

/** How the operations of backups are followed. Each phase change is also written to the stored Backup. */
export function backupOperations(ports: BackupPorts): BackupOperationsKind {
  const { kube, clock, random, log, namespace, actions } = ports;
  return {
    writes: backupWrites,
    clock,
    log,
    actions: actions.backup,
    actionOf: ({ spec }) => spec.backupItemAction,
    contextOf: (backup) => ({ kube, clock, random, log, veleroNamespace: namespace, backup }),
    locationOf: ({ spec }, signal) => usableLocation(ports, spec.storageLocation ?? '', signal),
    inStore: (location, use, signal) =>
      withStore(ports, location, { signal, customerKey: true }, (store, { prefix }) => use(backupStore(store, prefix))),
    countsOf: (status) => ({
      completed: status?.backupItemOperationsCompleted ?? 0,
      failed: status?.backupItemOperationsFailed ?? 0,
    }),
    statusOf: ({ completed, failed }) => ({
      backupItemOperationsCompleted: numberOrNone(completed),
      backupItemOperationsFailed: numberOrNone(failed),
    }),
    storeStatus: (files, backup, status, signal) => files.putBackup(storedBackup(backup, status), { signal }),
  };
}
