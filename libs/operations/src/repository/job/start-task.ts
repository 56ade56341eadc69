import {
  type BackupRepository,
  controllerName,
  type Deployment,
  deploymentType,
  type Job,
  jobType,
} from '@lateen/api-types';
import { AppError, isAppError } from '@lateen/errors';
import { silentLogger } from '@lateen/kernel';
import { listAll, readObject } from '@lateen/kube';
import {
  endedKeptMs,
  jobEnd,
  jobLifetimes,
  type MaintenanceJobSettings,
  maintenanceJobLabels,
  type RepositoryTask,
  settingsReader,
  startRepositoryJob,
} from '@lateen/maintenance';
import type { TaskPorts } from './task-ports.ts';

/**
 * Creates the Job for one task from the controller's own pod template. `atMs` makes its name unique.
 * @throws CONTROLLER_NOT_FOUND; REPOSITORY_BUSY when another Job works on the repository and excludes this one; KUBE_…
 */
export async function startTask(
  { kube, clock }: Pick<TaskPorts, 'kube' | 'clock'>,
  repository: BackupRepository,
  { task, atMs }: { task: RepositoryTask; atMs: number },
  signal: AbortSignal,
): Promise<Job> {
  const { namespace = '', name } = repository.metadata;
  const deployment = await controllerDeployment({ kube }, namespace, signal);
  const options = {
    repository,
    deployment,
    task,
    settings: await jobSettings({ kube, clock }, repository, deployment, signal),
    others: await runningJobs({ kube }, namespace, signal, name),
    mayBeMade: false,
    atMs,
    deadlineMs: jobLifetimes[task.operation].deadlineMs,
    keptMs: endedKeptMs,
  };
  return startRepositoryJob({ kube, clock }, options, signal);
}

const configMapFlag = '--repo-maintenance-job-configmap';

/** Resources, nodes and priority of the controller's own Jobs; the defaults for users without the right to read them. */
async function jobSettings(
  { kube, clock }: Pick<TaskPorts, 'kube' | 'clock'>,
  repository: BackupRepository,
  { spec }: Deployment,
  signal: AbortSignal,
): Promise<MaintenanceJobSettings> {
  const { command = [], args = [] } = spec.template.spec.containers[0] ?? {};
  const words = [...command, ...args];
  const at = words.findIndex((word) => word === configMapFlag || word.startsWith(`${configMapFlag}=`));
  const configMapName = words[at]?.split('=')[1] ?? (at < 0 ? undefined : words[at + 1]);
  const { namespace = '' } = repository.metadata;
  const read = settingsReader({ kube, namespace, configMapName: configMapName || undefined, clock, log: silentLogger });
  try {
    return await read(repository, signal);
  } catch (error) {
    if (isAppError(error, 'KUBE_FORBIDDEN')) return {};
    throw error;
  }
}

async function controllerDeployment(
  { kube }: Pick<TaskPorts, 'kube'>,
  namespace: string,
  signal: AbortSignal,
): Promise<Deployment> {
  const found = await readObject(kube, deploymentType, { namespace, name: controllerName }, signal);
  if (found !== undefined) return found;
  throw new AppError('CONTROLLER_NOT_FOUND', `Deployment ${controllerName} does not exist in namespace ${namespace}`, {
    nextStep: 'Jobs get image and settings from it: install Lateen there, or name its namespace with -n.',
  });
}

/** Repository Jobs that have not ended, of one repository or of all. */
export async function runningJobs(
  { kube }: Pick<TaskPorts, 'kube'>,
  namespace: string,
  signal: AbortSignal,
  repositoryName?: string,
): Promise<Job[]> {
  const labels = maintenanceJobLabels(repositoryName ?? '');
  const labelSelector = Object.entries(labels)
    .map(([label, value]) => (repositoryName === undefined ? label : `${label}=${value}`))
    .join(',');
  const { items } = await listAll(kube, jobType, { namespace, labelSelector, signal });
  return items.filter((job) => jobEnd(job) === undefined && job.metadata.deletionTimestamp === undefined);
}
