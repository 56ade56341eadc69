import { backupRepositoryType, backupStorageLocationType, repositoryCredentials, secretType } from '@lateen/api-types';
import type { Clock, Logger, Random } from '@lateen/kernel';
import { informer, type KubeApi, keyOf, keyText, runController, workQueue } from '@lateen/kube';
import { type SecretKey, secretsOf } from '@lateen/repository';
import { locationReconciler } from './location/location-reconciler.ts';
import type { OpenStore } from './open-store.ts';
import { type RepositoryReconcilerPorts, repositoryReconciler } from './repository/repository-reconciler.ts';

export interface LocationControllersOptions {
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

/** Keys worked on at once. A location that hangs takes one of these for 30 s, no more. */
export const locationWorkers = { locations: 8, repositories: 4 } as const;

/** Runs the controllers of BackupStorageLocation and BackupRepository until `signal` aborts. */
export async function runLocationControllers(options: LocationControllersOptions, signal: AbortSignal): Promise<void> {
  const { kube, namespace, clock, random, log } = options;
  const base = { api: kube, namespace, clock, random, log };
  const locations = informer({ ...base, type: backupStorageLocationType });
  const repositories = informer({ ...base, type: backupRepositoryType });
  // Only names and versions are kept: a cache of every Secret's content would be a hoard.
  const secrets = informer({
    ...base,
    type: secretType,
    transform: ({ apiVersion, kind, metadata }) => {
      const { name, resourceVersion, uid } = metadata;
      return {
        apiVersion,
        kind,
        metadata: { name: name ?? '', namespace, resourceVersion: resourceVersion ?? '', uid: uid ?? '' },
      };
    },
  });
  const secretVersion = (secret: SecretKey) => secrets.get(secret)?.metadata.resourceVersion;
  const locationQueue = workQueue({ name: 'backup-storage-location', clock, random });
  const repositoryQueue = workQueue({ name: 'backup-repository', clock, random });
  const wakeRepositories = (ofLocation?: string) => {
    for (const repository of repositories.list()) {
      if (ofLocation !== undefined && repository.spec.backupStorageLocation !== ofLocation) continue;
      repositoryQueue.add(keyText(keyOf(repository)));
    }
  };
  const wireUp = () => {
    locations.onChange(({ object }) => {
      locationQueue.add(keyText(keyOf(object)));
      wakeRepositories(object.metadata.name);
    });
    repositories.onChange(({ object }) => repositoryQueue.add(keyText(keyOf(object))));
    secrets.onChange(({ object }) => {
      if (object.metadata.name === repositoryCredentials.name) wakeRepositories();
      for (const location of locations.list()) {
        if (!secretsOf(location).some(({ name }) => name === object.metadata.name)) continue;
        locationQueue.add(keyText(keyOf(location)));
        wakeRepositories(location.metadata.name);
      }
    });
  };
  const common = { kube, getLocation: locations.get, secretVersion, clock, random, log };
  const running = [locations.run(signal), repositories.run(signal), secrets.run(signal)];
  // Workers start when the caches are full: a Secret not yet seen would look like one that changed.
  const synced = Promise.all([locations, repositories, secrets].map((each) => each.synced(signal))).then(
    () => {
      wireUp();
      options.onSynced?.();
      return true;
    },
    () => false,
  );
  if (await synced) {
    running.push(
      runController({
        name: 'backup-storage-location',
        queue: locationQueue,
        reconciler: locationReconciler({ ...common, openStore: options.openStore }),
        workers: locationWorkers.locations,
        clock,
        log,
        signal,
      }),
      runController({
        name: 'backup-repository',
        queue: repositoryQueue,
        reconciler: repositoryReconciler({
          ...common,
          getRepository: repositories.get,
          passwordVersion: (inNamespace) =>
            secrets.get({ namespace: inNamespace, name: repositoryCredentials.name })?.metadata.resourceVersion,
          openRepository: options.openRepository,
        }),
        workers: locationWorkers.repositories,
        clock,
        log,
        signal,
      }),
    );
  }
  await Promise.all(running);
}
