import {
  type ConfigMap,
  configMapType,
  type DeleteBackupRequest,
  deleteBackupRequestType,
  getValidName,
  type Job,
  jobType,
  labels,
  labelValues,
  returnNameOrHash,
  type Schedule,
  scheduleType,
} from '@lateen/api-types';
import type { Clock, Logger, Random } from '@lateen/kernel';
import type { KubeApi } from '@lateen/kube';
import { byLabel, dropManagedFields, type Informer, informer, withSpecOr } from '@lateen/kube-runtime';
import { withoutSnapshots } from '@lateen/maintenance';

/** What the controllers of retention watch beside Backups, Restores and locations. */
export interface RetentionCaches {
  requests: Informer<DeleteBackupRequest>;
  schedules: Informer<Schedule>;
  /** Jobs that let repositories forget. */
  jobs: Informer<Job>;
  /** What repositories are to forget, without the snapshots. */
  forgetRequests: Informer<ConfigMap>;
  requestsOf(backupName: string): DeleteBackupRequest[];
  /** By the value of a Backup's label. */
  scheduleOf(label: string): Schedule | undefined;
  jobsOf(repositoryName: string): Job[];
  /** Until `signal` aborts. */
  run(signal: AbortSignal): Promise<void>;
}

export function retentionCaches(base: {
  kube: KubeApi;
  namespace: string;
  clock: Clock;
  random: Random;
  log: Logger;
}): RetentionCaches {
  const { kube, namespace, clock, random, log } = base;
  const informed = { api: kube, namespace, clock, random, log };
  const requests = informer({
    ...informed,
    type: deleteBackupRequestType,
    transform: wholeRequest,
    indexers: { backup: ({ spec }: DeleteBackupRequest) => [spec.backupName] },
  });
  const schedules = informer({
    ...informed,
    type: scheduleType,
    indexers: { label: ({ metadata }: Schedule) => [getValidName(metadata.name ?? '')] },
  });
  const jobs = informer({
    ...informed,
    type: jobType,
    labelSelector: `${labels.repositoryOperation}=forget`,
    indexers: { repository: byLabel(labels.repoName) },
  });
  const forgetRequests = informer({
    ...informed,
    type: configMapType,
    labelSelector: `${labels.forgetRequest}=${labelValues.true}`,
    transform: (request: ConfigMap) => withoutSnapshots(dropManagedFields(request)),
  });
  return {
    requests,
    schedules,
    jobs,
    forgetRequests,
    requestsOf: (name) => requests.byIndex('backup', name),
    scheduleOf: (label) => schedules.byIndex('label', label)[0],
    jobsOf: (repository) => jobs.byIndex('repository', returnNameOrHash(repository)),
    run: async (signal) => {
      await Promise.all([requests, schedules, jobs, forgetRequests].map((each) => each.run(signal)));
    },
  };
}

function wholeRequest(request: DeleteBackupRequest): DeleteBackupRequest {
  const kept = withSpecOr<DeleteBackupRequest>(() => ({ backupName: '' }))(request);
  kept.spec.backupName ??= '';
  return kept;
}
