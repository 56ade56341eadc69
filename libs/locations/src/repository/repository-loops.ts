import {
  type BackupRepository,
  type BackupStorageLocation,
  backupRepositoryType,
  type Job,
  jobType,
  labels,
  repositoryCredentials,
  returnNameOrHash,
} from '@lateen/api-types';
import type { Clock, Logger, Random } from '@lateen/kernel';
import {
  byLabel,
  type Change,
  type Informer,
  informer,
  type KubeApi,
  keyOf,
  keyText,
  runController,
  type WorkQueue,
  workQueue,
} from '@lateen/kube';
import {
  type MaintenanceObserver,
  MaintenancePlaces,
  maintenanceJobsMax,
  maintenanceReconciler,
  settingsReader,
} from '@lateen/maintenance';
import { placeFingerprint } from '../fingerprint.ts';
import type { Tell } from '../location/location-observer.ts';
import type { OpenStore } from '../open-store.ts';
import { SecretLooks } from '../secret-looks.ts';
import { wholeRepository } from '../whole-object.ts';
import { engineOf, maintenanceFrequencyDefault, recheckMs } from './decide-repository.ts';
import { repositoryConfig } from './repository-config.ts';
import { RepositoryMemories } from './repository-memory.ts';
import { RepositoryPresence } from './repository-presence.ts';
import { type RepositoryReconcilerPorts, repositoryReconciler } from './repository-reconciler.ts';

/** Beside the ports, what `lateen-controller` can be told about repositories. */
export interface RepositorySettings {
  /** For repositories whose creator left it open. Default 1h. */
  maintenanceFrequency?: string | undefined;
  /** Name of the backup repository ConfigMap (api.md section 17.3). */
  repositoryConfigMap?: string | undefined;
  /** Name of the ConfigMap of maintenance Jobs (api.md section 17.2). */
  maintenanceConfigMap?: string | undefined;
  /** Maintenance Jobs at the same time. */
  maintenanceJobsMax?: number | undefined;
  /** Default: nobody is told. */
  tell?: Tell;
  maintenanceObserver?: MaintenanceObserver | undefined;
}

export interface RepositoryLoopsOptions extends RepositorySettings {
  kube: KubeApi;
  namespace: string;
  locations: Informer<BackupStorageLocation>;
  openStore: OpenStore;
  openRepository: RepositoryReconcilerPorts['openRepository'];
  clock: Clock;
  random: Random;
  log: Logger;
}

/** Repositories opened at once, each by an engine's process; and looked at for maintenance, which costs nothing. */
export const repositoryWorkers = { open: 4, maintain: 4 } as const;

export interface RepositoryLoops {
  /** To be told each change of a location. */
  locationChanged(change: Change<BackupStorageLocation>): void;
  /** Lists and watches; resolves when `signal` aborts. */
  watch(signal: AbortSignal): Promise<void>;
  /** Resolves when everything that exists has been seen once. @throws the signal's reason */
  synced(signal: AbortSignal): Promise<void>;
  /** Works until `signal` aborts; call after `synced`. */
  run(signal: AbortSignal): Promise<void>;
}

/** Repositories brought to Ready, looked at, and maintained. */
export function repositoryLoops(options: RepositoryLoopsOptions): RepositoryLoops {
  const { kube, namespace, clock, random, log } = options;
  const base = { api: kube, namespace, clock, random, log };
  const repositories = informer({
    ...base,
    type: backupRepositoryType,
    transform: wholeRepository,
    indexers: { location: byLocation },
  });
  const jobs = informer({
    ...base,
    type: jobType,
    labelSelector: labels.repoName,
    indexers: { repository: byLabel(labels.repoName) },
  });
  const queues = {
    open: workQueue({ name: 'backup-repository', clock, random }),
    maintain: workQueue({ name: 'repository-maintenance', clock, random }),
  };
  const wake = (repository: BackupRepository, ...which: readonly WorkQueue[]) => {
    for (const queue of which) queue.add(keyText(keyOf(repository)));
  };
  const reconcilers = {
    open: openingReconciler(options, repositories, queues.open),
    maintain: maintainingReconciler(options, repositories, jobs, queues.maintain),
  };
  return {
    locationChanged: (change) => {
      // Each validation writes a time; that alone is nothing to a repository.
      if (!matters(change)) return;
      for (const repository of repositories.byIndex('location', change.object.metadata.name ?? ''))
        wake(repository, queues.open, queues.maintain);
    },
    watch: async (signal) => {
      await Promise.all([repositories.run(signal), jobs.run(signal)]);
    },
    synced: async (signal) => {
      await Promise.all([repositories.synced(signal), jobs.synced(signal)]);
    },
    run: async (signal) => {
      repositories.onChange(({ object }) => wake(object, queues.open, queues.maintain));
      jobs.onChange(({ object }) => {
        const name = ownerName(object);
        if (name !== undefined) queues.maintain.add(keyText({ namespace, name }));
      });
      const lane = (name: 'open' | 'maintain') =>
        runController({
          name: queues[name].name,
          queue: queues[name],
          reconciler: reconcilers[name],
          workers: repositoryWorkers[name],
          clock,
          log,
          signal,
        });
      await Promise.all([lane('open'), lane('maintain'), reconcilers.open.looks.run(signal)]);
    },
  };
}

function openingReconciler(
  options: RepositoryLoopsOptions,
  repositories: Informer<BackupRepository>,
  queue: WorkQueue,
) {
  const { kube, namespace, locations, clock, random, log, tell = () => {} } = options;
  const memories = new RepositoryMemories();
  const presence = new RepositoryPresence(options);
  const looks = new SecretLooks({
    kube,
    clock,
    log,
    onChanged: (user) => {
      if (user === passwordUser) proveAll();
      else {
        memories.forgetTries(user);
        queue.add(user);
      }
    },
  });
  /** Who has the password changed may have made everything unreadable; who opens all at once, everything slow. */
  const proveAll = () => {
    for (const repository of repositories.list()) {
      const key = keyText(keyOf(repository));
      memories.of(key).unproven = true;
      queue.addAfter(key, recheckMs * random.next());
    }
  };
  looks.use(passwordUser, [{ namespace, name: repositoryCredentials.name }]);
  const config = { kube, namespace, configMapName: options.repositoryConfigMap, log };
  const reconciler = repositoryReconciler({
    kube,
    getRepository: repositories.get,
    getLocation: locations.get,
    openRepository: options.openRepository,
    look: async (repository, location, { sinceMs, signal }) => {
      const engine = engineOf(repository);
      const { volumeNamespace } = repository.spec;
      return engine === undefined ? 'unknown' : presence.look(location, { engine, volumeNamespace, sinceMs }, signal);
    },
    maintenanceFrequency: options.maintenanceFrequency ?? maintenanceFrequencyDefault,
    repositoryConfig: (type, signal) => repositoryConfig(config, type, signal),
    memories,
    looks,
    tell,
    clock,
    random,
    log,
  });
  return { ...reconciler, looks };
}

/** No repository's key: those have a namespace. */
const passwordUser = 'the repository password';

function maintainingReconciler(
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
    places: new MaintenancePlaces(options.maintenanceJobsMax ?? maintenanceJobsMax, (key) => queue.add(key)),
    tell,
    observer: options.maintenanceObserver,
    clock,
    log,
  });
}

const byLocation = ({ spec }: BackupRepository): string[] => [spec.backupStorageLocation];

/** Jobs that no BackupRepository owns are none of ours. */
const ownerName = ({ metadata }: Job): string | undefined =>
  metadata.ownerReferences?.find(({ kind }) => kind === backupRepositoryType.kind)?.name;

function matters(change: Change<BackupStorageLocation>): boolean {
  if (change.type !== 'updated') return true;
  const { object, previous } = change;
  return (
    object.status?.phase !== previous.status?.phase ||
    object.spec.accessMode !== previous.spec.accessMode ||
    placeFingerprint(object) !== placeFingerprint(previous)
  );
}
