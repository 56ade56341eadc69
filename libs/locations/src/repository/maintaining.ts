import { type BackupRepository, type Job, returnNameOrHash } from '@lateen/api-types';
import type { Informer, WorkQueue } from '@lateen/kube-runtime';
import { maintenanceJobsMax, maintenancePlaces, maintenanceReconciler, settingsReader } from '@lateen/maintenance';
import type { RepositoryLoopsOptions } from './repository-loops-options.ts';

/** What maintains repositories. */
export function maintainingReconciler(
  options: RepositoryLoopsOptions,
  repositories: Informer<BackupRepository>,
  jobs: Informer<Job>,
  queue: WorkQueue,
) {
  const { kube, namespace, locations, clock, log, tell = () => {} } = options;
  return maintenanceReconciler({
    kube,
    getRepository: repositories.get,
    getLocation: locations.get,
    jobsOf: (name) => jobs.byIndex('repository', returnNameOrHash(name)),
    settingsOf: settingsReader({ kube, namespace, configMapName: options.maintenanceConfigMap, clock, log }),
    places: maintenancePlaces(options.maintenanceJobsMax ?? maintenanceJobsMax),
    wake: (key) => queue.add(key),
    tell,
    observer: options.maintenanceObserver,
    clock,
    log,
  });
}
