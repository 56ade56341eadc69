import { createHash } from 'node:crypto';
import type { BackupRepository, Job } from '@lateen/api-types';
import type { Clock } from '@lateen/kernel';
import type { KubeApi } from '@lateen/kube';
import { controllerDeployment } from '../job/controller-deployment.ts';
import { maintenanceDeadlineMs } from '../job/job-lifetime.ts';
import type { MaintenanceJobSettings } from '../job/maintenance-job.ts';
import { startRepositoryJob } from '../job/start-repository-job.ts';

/**
 * Creates the Job of a maintenance that was due at `dueMs`. Its name comes of that, so that a second attempt, be it of another
 * replica or after an answer that was lost, finds the first one's Job. Resolves with it.
 * @throws MAINTENANCE_DEPLOYMENT_MISSING, and what `startRepositoryJob` throws
 */
export async function createMaintenanceJob(
  { kube, clock }: { kube: KubeApi; clock: Clock },
  repository: BackupRepository,
  { dueMs, settings, others }: { dueMs: number; settings: MaintenanceJobSettings; others: readonly Job[] },
  signal: AbortSignal,
): Promise<Job> {
  const options = {
    repository,
    deployment: await controllerDeployment(kube, repository.metadata.namespace ?? '', signal),
    task: { operation: 'maintain', mode: 'auto' },
    settings,
    others,
    mayBeMade: true,
    atMs: dueMs + offsetMs(repository),
    deadlineMs: maintenanceDeadlineMs,
  } as const;
  return startRepositoryJob({ kube, clock }, options, signal);
}

/** Times in a status are whole seconds; this keeps repositories that became due together apart. */
function offsetMs({ metadata }: BackupRepository): number {
  return (
    createHash('sha256')
      .update(metadata.uid ?? '')
      .digest()
      .readUInt32BE(0) % 1000
  );
}
