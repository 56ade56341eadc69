import {
  type BackupRepository,
  type BackupStorageLocation,
  backupRepositoryType,
  type Job,
  jobType,
  labels,
} from '@lateen/api-types';
import { keyOf, keyText } from '@lateen/kube';
import { byLabel, type Change, informer, runController, type WorkQueue, workQueue } from '@lateen/kube-runtime';
import { wholeRepository } from '../whole-object.ts';
import { concernsRepositories } from './location-change.ts';
import { maintainingReconciler } from './maintaining.ts';
import { openingReconciler } from './opening.ts';
import type { RepositoryLoopsOptions } from './repository-loops-options.ts';

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
      if (!concernsRepositories(change)) return;
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

const byLocation = ({ spec }: BackupRepository): string[] => [spec.backupStorageLocation];

/** Jobs that no BackupRepository owns are none of ours. */
const ownerName = ({ metadata }: Job): string | undefined =>
  metadata.ownerReferences?.find(({ kind }) => kind === backupRepositoryType.kind)?.name;
