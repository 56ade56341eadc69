import type { BackupRepository, Job } from '@lateen/api-types';
import type { Clock } from '@lateen/kernel';
import type { KubeApi } from '@lateen/kube';
import { controllerDeployment } from '../job/controller-deployment.ts';
import { endedKeptMs, jobLifetimes } from '../job/job-lifetime.ts';
import type { MaintenanceJobSettings } from '../job/maintenance-job.ts';
import { startRepositoryJob } from '../job/start-repository-job.ts';

/**
 * Makes the Job that lets a repository forget what some requests list. The cluster deletes it an hour after its end.
 * @throws MAINTENANCE_DEPLOYMENT_MISSING, and what `startRepositoryJob` throws
 */
export async function startForgetJob(
  { kube, clock }: { kube: KubeApi; clock: Clock },
  repository: BackupRepository,
  {
    requests,
    settings,
    others,
  }: { requests: readonly string[]; settings: MaintenanceJobSettings; others: readonly Job[] },
  signal: AbortSignal,
): Promise<Job> {
  const options = {
    repository,
    deployment: await controllerDeployment(kube, repository.metadata.namespace ?? '', signal),
    task: { operation: 'forget', requests },
    settings,
    others,
    mayBeMade: false,
    atMs: clock.now(),
    deadlineMs: jobLifetimes.forget.deadlineMs,
    keptMs: endedKeptMs,
  } as const;
  return await startRepositoryJob({ kube, clock }, options, signal);
}
