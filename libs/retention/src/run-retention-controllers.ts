import {
  type Backup,
  type BackupRepository,
  type BackupStorageLocation,
  type DeleteBackupRequest,
  type Job,
  labels,
  type Restore,
} from '@lateen/api-types';
import type { DeleteItemAction } from '@lateen/item-actions';
import { keyOf, type ObjectKey } from '@lateen/kube';
import {
  type Change,
  type ControllerBase,
  controller,
  type EventRecorder,
  eventRecorder,
  type Informer,
  watches,
} from '@lateen/kube-runtime';
import { type MaintenanceSettings, requestsOfJob } from '@lateen/maintenance';
import type { SnapshotterPorts } from '@lateen/native-snapshots';
import type { ReachPorts } from '@lateen/storage-location';
import { collectBases } from './bases/collect-bases.ts';
import type { DeletionObserver } from './deletion/deletion-observer.ts';
import { deletionReconciler } from './deletion/deletion-reconciler.ts';
import { plannedRequests } from './deletion/planned-request.ts';
import { expiryReconciler } from './expiry/expiry-reconciler.ts';
import { ForgetQueue } from './forget/forget-queue.ts';
import { forgetReconciler } from './forget/forget-reconciler.ts';
import { unownedReconciler } from './forget/unowned-reconciler.ts';
import { isHeld, restoreCleanUpReconciler } from './restores/restore-clean-up.ts';
import { type RetentionCaches, retentionCaches } from './retention-caches.ts';

export interface RetentionControllersOptions extends ControllerBase, ReachPorts, SnapshotterPorts {
  namespace: string;
  /** Of that namespace, with an index `schedule` by the label of the schedule's name; the caller runs them. */
  backups: Informer<Backup>;
  restores: Informer<Restore>;
  locations: Informer<BackupStorageLocation>;
  /** How often expired backups that cannot be deleted are checked again, in ms (`--garbage-collection-frequency`); 0: the default. */
  garbageCollectionFrequencyMs?: number;
  /** Told of each item of a backup that is deleted. */
  deleteActions: readonly DeleteItemAction[];
  /** Of the Jobs that let repositories forget. */
  settingsOf(repository: BackupRepository, signal: AbortSignal): Promise<MaintenanceSettings>;
  /** Of the Events: this process, among replicas. */
  identity: string;
  deletionObserver?: DeletionObserver | undefined;
}

export const garbageCollectionFrequencyDefaultMs = 3_600_000;

/** Deletions at the same time; most of their life they wait for stores and Jobs, and one store that hangs must not hold them all. */
export const retentionWorkers = { deletions: 16, expiry: 4, forgetting: 8, unowned: 4, restores: 4 } as const;

/** Garbage collection of backups and of snapshots that stay for a next upload, deletion, forgetting and the clean-up of Restores; until `signal` aborts. */
export async function runRetentionControllers(
  options: RetentionControllersOptions,
  signal: AbortSignal,
): Promise<void> {
  const { kube, identity, clock, random, log } = options;
  const caches = retentionCaches(options);
  const events = eventRecorder({ api: kube, component: 'lateen-controller', host: identity, clock, random, log });
  const queue = new ForgetQueue((key) => forgetting.queue.add(key));
  const forgetting = forgettingController(options, caches, queue);
  await Promise.all([
    caches.run(signal),
    forgetting.run(signal),
    unownedController(options, caches, { events, queue }).run(signal),
    deletionController(options, caches, { events, queue }).run(signal),
    expiryController(options, caches, events).run(signal),
    cleanUpController(options).run(signal),
    collectBases({ ...options, frequencyMs: frequencyOf(options) }, signal),
  ]);
}

function deletionController(
  options: RetentionControllersOptions,
  { requests, jobs, requestsOf, jobsOf }: RetentionCaches,
  { events, queue }: { events: EventRecorder; queue: ForgetQueue },
) {
  const { backups, restores, locations } = options;
  return controller(options, {
    name: 'backup-deletion',
    for: requests,
    watches: [
      watches(jobs, ({ object }) => requestsOfForgetJob(requests.list(), object)),
      watches(restores, ({ object }) => requestsOf(object.spec.backupName ?? '').map(keyOf)),
      watches(backups, ({ object }) => requestsOf(object.metadata.name ?? '').map(keyOf)),
    ],
    reconciler: (deletions) =>
      deletionReconciler(
        {
          ...options,
          getBackup: backups.get,
          getLocation: locations.get,
          restores: restores.list,
          getRequest: requests.get,
          requestsOf,
          forgetJobsOf: jobsOf,
          forget: queue,
          events,
          observer: options.deletionObserver,
        },
        deletions,
      ),
    workers: retentionWorkers.deletions,
  });
}

function forgettingController(
  options: RetentionControllersOptions,
  { jobs, jobsOf }: RetentionCaches,
  queue: ForgetQueue,
) {
  return controller(options, {
    name: 'snapshot-forgetting',
    for: jobs,
    wakes: () => false,
    watches: [watches(jobs, ({ object }) => repositoriesOf(object))],
    reconciler: () => forgetReconciler({ ...options, queue, jobsOf }),
    workers: retentionWorkers.forgetting,
  });
}

function unownedController(
  options: RetentionControllersOptions,
  { forgetRequests, jobs, jobsOf }: RetentionCaches,
  { events, queue }: { events: EventRecorder; queue: ForgetQueue },
) {
  return controller(options, {
    name: 'unowned-forgetting',
    for: forgetRequests,
    watches: [
      watches(jobs, ({ object }) => {
        const { namespace } = object.metadata;
        return requestsOfJob(object).map((name) => ({ namespace, name }));
      }),
    ],
    reconciler: () => unownedReconciler({ ...options, queue, getForgetRequest: forgetRequests.get, jobsOf, events }),
    workers: retentionWorkers.unowned,
  });
}

const frequencyOf = ({ garbageCollectionFrequencyMs }: RetentionControllersOptions): number =>
  garbageCollectionFrequencyMs || garbageCollectionFrequencyDefaultMs;

function expiryController(
  options: RetentionControllersOptions,
  { requests, schedules, requestsOf, scheduleOf }: RetentionCaches,
  events: EventRecorder,
) {
  const { backups, restores, locations } = options;
  return controller(options, {
    name: 'garbage-collection',
    for: backups,
    watches: [
      { informer: schedules, feed: () => {} },
      { informer: requests, feed: () => {} },
      watches(restores, ({ object }) => ofBackup(object)),
      watches(locations, (change) => heldBackBy(backups.list(), change)),
    ],
    reconciler: () =>
      expiryReconciler({
        ...options,
        getBackup: backups.get,
        getLocation: locations.get,
        restores: restores.list,
        scheduleOf,
        backupsOf: (label) => backups.byIndex('schedule', label),
        requestsOf,
        frequencyMs: frequencyOf(options),
        events,
      }),
    workers: retentionWorkers.expiry,
  });
}

function cleanUpController(options: RetentionControllersOptions) {
  const { backups, restores, locations } = options;
  return controller(options, {
    name: 'restore-clean-up',
    for: restores,
    wakes: ({ object }) => object.metadata.deletionTimestamp !== undefined && isHeld(object),
    watches: [
      { informer: backups, feed: () => {} },
      { informer: locations, feed: () => {} },
    ],
    reconciler: () =>
      restoreCleanUpReconciler({
        ...options,
        getRestore: restores.get,
        getBackup: backups.get,
        getLocation: locations.get,
      }),
    workers: retentionWorkers.restores,
  });
}

/** Those that wait for what the Job was made for. */
function requestsOfForgetJob(requests: readonly DeleteBackupRequest[], job: Job): ObjectKey[] {
  const names = new Set(requestsOfJob(job));
  return requests.filter((each) => plannedRequests(each)?.some(({ request }) => names.has(request))).map(keyOf);
}

/** Its owner: the name of a BackupRepository in a label may be a hash. */
function repositoriesOf({ metadata }: Job): ObjectKey[] {
  const owner = metadata.ownerReferences?.find(({ kind }) => kind === 'BackupRepository');
  return owner === undefined ? [] : [{ namespace: metadata.namespace, name: owner.name }];
}

const ofBackup = ({ metadata, spec }: Restore): ObjectKey[] =>
  spec.backupName ? [{ namespace: metadata.namespace, name: spec.backupName }] : [];

/** Expired backups that could not go because of a location which has changed. */
function heldBackBy(backups: readonly Backup[], { object, type }: Change<BackupStorageLocation>): ObjectKey[] {
  if (type === 'deleted') return [];
  return backups
    .filter(
      ({ metadata, spec }) =>
        metadata.labels?.[labels.gcFailure] !== undefined && spec.storageLocation === object.metadata.name,
    )
    .map(keyOf);
}
