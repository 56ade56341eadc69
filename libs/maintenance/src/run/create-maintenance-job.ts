import { createHash } from 'node:crypto';
import {
  type BackupRepository,
  controllerName,
  type Deployment,
  deploymentType,
  type Job,
  jobType,
} from '@lateen/api-types';
import { AppError } from '@lateen/errors';
import { isAlreadyExists, isNotFound, isOwnedBy, type KubeApi } from '@lateen/kube';
import { type MaintenanceJobSettings, maintenanceJob } from '../job/maintenance-job.ts';

/** A Job is ended after so long: a repository of many terabytes may take hours, one that hangs must not hold its place for ever. */
export const maintenanceDeadlineMs = 12 * 3_600_000;

/** Names that are tried where those of two repositories are cut to the same. */
const namesMax = 16;

/**
 * Creates the Job of a maintenance that was due at `dueMs`. Its name comes of that, so that a second attempt, be it of another
 * replica or after an answer that was lost, finds the first one's Job. Resolves with it.
 * @throws MAINTENANCE_DEPLOYMENT_MISSING, MAINTENANCE_NAMES_TAKEN, KUBE_…
 */
export async function createMaintenanceJob(
  kube: KubeApi,
  repository: BackupRepository,
  { dueMs, settings }: { dueMs: number; settings: MaintenanceJobSettings },
  signal: AbortSignal,
): Promise<Job> {
  const namespace = repository.metadata.namespace ?? '';
  const deployment = await controllerDeployment(kube, namespace, signal);
  const firstMs = dueMs + offsetMs(repository);
  for (let at = 0; at < namesMax; at++) {
    const job = maintenanceJob({
      repository,
      deployment,
      task: { operation: 'maintain', mode: 'auto' },
      settings,
      atMs: firstMs + at,
      deadlineMs: maintenanceDeadlineMs,
    });
    try {
      return await kube.create(jobType, job, { namespace, signal });
    } catch (error) {
      if (!isAlreadyExists(error)) throw error;
    }
    const there = await kube.get(jobType, { namespace, name: job.metadata.name ?? '' }, { signal });
    if (isOwnedBy(there, repository)) return there;
  }
  throw new AppError(
    'MAINTENANCE_NAMES_TAKEN',
    `other repositories have all names for a Job of ${repository.metadata.name}`,
    {
      retry: 'later',
    },
  );
}

async function controllerDeployment(kube: KubeApi, namespace: string, signal: AbortSignal): Promise<Deployment> {
  try {
    return await kube.get(deploymentType, { namespace, name: controllerName }, { signal });
  } catch (error) {
    if (!isNotFound(error)) throw error;
    throw new AppError('MAINTENANCE_DEPLOYMENT_MISSING', `there is no Deployment ${namespace}/${controllerName}`, {
      retry: 'later',
      nextStep: 'Maintenance Jobs are made from its pod template: image, environment and service account.',
    });
  }
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
