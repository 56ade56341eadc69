import type { Backup, BackupStorageLocation } from '@lateen/api-types';
import { type ControllerBase, controller, eventRecorder, type Informer } from '@lateen/kube-runtime';
import type { ReachPorts } from '@lateen/storage-location';
import { syncPeriodDefaultMs } from './decide/sync-due.ts';
import { syncReconciler } from './run/sync-reconciler.ts';

export interface SyncControllerOptions extends ControllerBase, ReachPorts {
  /** Where Backups are made. */
  namespace: string;
  /** Of that namespace; whoever built them runs them. */
  locations: Informer<BackupStorageLocation>;
  backups: Informer<Backup>;
  /** Between two looks into a location that does not say itself, in ms; 0: none (`--backup-sync-period`). */
  backupSyncPeriodMs?: number;
  /** Of the Events: this process, among replicas. */
  identity: string;
}

/** Locations that are looked into at once; one that hangs holds its place for a minute. */
export const syncWorkers = 8;

/** Runs the controller that matches buckets and cluster until `signal` aborts. */
export async function runSyncController(options: SyncControllerOptions, signal: AbortSignal): Promise<void> {
  const { kube, namespace, locations, backups, identity, clock, random, log } = options;
  const { listAccountKey, openStore } = options;
  const events = eventRecorder({ api: kube, component: 'lateen-controller', host: identity, clock, random, log });
  const { run } = controller(options, {
    name: 'backup-sync',
    for: locations,
    watches: [{ informer: backups, feed: () => {} }],
    reconciler: () =>
      syncReconciler({
        kube,
        listAccountKey,
        openStore,
        namespace,
        getLocation: locations.get,
        locations: locations.list,
        backups: backups.list,
        getBackup: backups.get,
        serverPeriodMs: options.backupSyncPeriodMs ?? syncPeriodDefaultMs,
        events,
        clock,
        log,
      }),
    workers: syncWorkers,
  });
  await run(signal);
}
