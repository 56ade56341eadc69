import { type BackupRepository, backupRepositoryType, type Job, jobType, labels } from '@lateen/api-types';
import { keyOf } from '@lateen/kube';
import { byLabel, controller, informer, watches } from '@lateen/kube-runtime';
import { wholeRepository } from '../whole-object.ts';
import { concernsRepositories } from './location-change.ts';
import { maintainingReconciler } from './maintaining.ts';
import { openingReconciler } from './opening.ts';
import type { RepositoryLoopsOptions } from './repository-loops-options.ts';

/** Repositories opened in parallel, each by a process of the engine, and repositories checked for maintenance, which costs nothing. */
export const repositoryWorkers = { open: 4, maintain: 4 } as const;

/** Makes repositories Ready, checks them and maintains them. Runs until `signal` aborts; then resolves. */
export async function runRepositoryLoops(options: RepositoryLoopsOptions, signal: AbortSignal): Promise<void> {
  const { kube, namespace, locations, clock, random, log } = options;
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
  const ofLocation = watches(locations, (change) => {
    if (!concernsRepositories(change)) return [];
    return repositories.byIndex('location', change.object.metadata.name ?? '').map(keyOf);
  });
  const opening = controller(options, {
    name: 'backup-repository',
    for: repositories,
    watches: [ofLocation],
    reconciler: (queue) => openingReconciler(options, repositories, queue),
    workers: repositoryWorkers.open,
  });
  const maintaining = controller(options, {
    name: 'repository-maintenance',
    for: repositories,
    watches: [
      ofLocation,
      watches(jobs, ({ object }) => {
        const name = ownerName(object);
        return name === undefined ? [] : [{ namespace, name }];
      }),
    ],
    reconciler: (queue) => maintainingReconciler(options, repositories, jobs, queue),
    workers: repositoryWorkers.maintain,
  });
  await Promise.all([
    repositories.run(signal),
    jobs.run(signal),
    opening.run(signal),
    maintaining.run(signal),
    opening.reconciler.looks.run(signal),
  ]);
}

const byLocation = ({ spec }: BackupRepository): string[] => [spec.backupStorageLocation];

/** Jobs that no BackupRepository owns are none of ours. */
const ownerName = ({ metadata }: Job): string | undefined =>
  metadata.ownerReferences?.find(({ kind }) => kind === backupRepositoryType.kind)?.name;
