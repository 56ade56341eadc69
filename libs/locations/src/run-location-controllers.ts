import { type BackupStorageLocation, backupRepositoryType, backupStorageLocationType } from '@lateen/api-types';
import type { Clock, Logger, Random } from '@lateen/kernel';
import { type Change, informer, type KubeApi, keyOf, keyText, runController, workQueue } from '@lateen/kube';
import { placeFingerprint } from './fingerprint.ts';
import { type LocationSettings, locationLoops } from './location/location-loops.ts';
import type { OpenStore } from './open-store.ts';
import { type RepositoryReconcilerPorts, repositoryReconciler } from './repository/repository-reconciler.ts';
import { wholeLocation, wholeRepository } from './whole-object.ts';

export interface LocationControllersOptions extends LocationSettings {
  kube: KubeApi;
  /** Only locations and repositories of this namespace are looked at. */
  namespace: string;
  openStore: OpenStore;
  openRepository: RepositoryReconcilerPorts['openRepository'];
  clock: Clock;
  random: Random;
  log: Logger;
  /** Called when everything that exists has been seen once. */
  onSynced?: () => void;
}

/** Repositories worked on at once. */
export const repositoryWorkers = 4;

/** Runs the controllers of BackupStorageLocation and BackupRepository until `signal` aborts. */
export async function runLocationControllers(options: LocationControllersOptions, signal: AbortSignal): Promise<void> {
  const { kube, namespace, clock, random, log } = options;
  const base = { api: kube, namespace, clock, random, log };
  const locations = informer({ ...base, type: backupStorageLocationType, transform: wholeLocation });
  const repositories = informer({ ...base, type: backupRepositoryType, transform: wholeRepository });
  const loops = locationLoops({ ...options, locations });
  const repositoryQueue = workQueue({ name: 'backup-repository', clock, random });
  const wakeRepositories = (ofLocation: string | undefined) => {
    for (const repository of repositories.list()) {
      if (repository.spec.backupStorageLocation === ofLocation) repositoryQueue.add(keyText(keyOf(repository)));
    }
  };
  const wireUp = () => {
    locations.onChange((change) => {
      loops.changed(change);
      // Each validation writes a time; that alone is nothing to a repository.
      if (matters(change)) wakeRepositories(change.object.metadata.name);
    });
    repositories.onChange(({ object }) => repositoryQueue.add(keyText(keyOf(object))));
  };
  const common = { kube, getLocation: locations.get, clock, random, log };
  const running = [locations.run(signal), repositories.run(signal)];
  // Workers start when the caches are full: a location not yet seen would look like one that is missing.
  const synced = Promise.all([locations, repositories].map((each) => each.synced(signal))).then(
    () => {
      wireUp();
      options.onSynced?.();
      return true;
    },
    () => false,
  );
  if (await synced) {
    running.push(
      loops.run(signal),
      runController({
        name: 'backup-repository',
        queue: repositoryQueue,
        reconciler: repositoryReconciler({
          ...common,
          getRepository: repositories.get,
          openRepository: options.openRepository,
        }),
        workers: repositoryWorkers,
        clock,
        log,
        signal,
      }),
    );
  }
  await Promise.all(running);
}

function matters(change: Change<BackupStorageLocation>): boolean {
  if (change.type !== 'updated') return true;
  const { object, previous } = change;
  return object.status?.phase !== previous.status?.phase || placeFingerprint(object) !== placeFingerprint(previous);
}
