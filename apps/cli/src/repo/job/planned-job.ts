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
  type MaintenanceJobSettings,
  maintenanceJob,
  maintenanceJobLabels,
  type RepositoryTask,
  settingsReader,
} from '@lateen/maintenance';
import type { TaskPorts } from './task-ports.ts';

export const jobLimits = {
  /** A Job that runs for so long is ended by the cluster: reading every byte of a large repository takes hours, not days. */
  deadlineMs: 48 * 3_600_000,
  /** The cluster deletes a Job so long after its end when we could not. */
  keptMs: 3_600_000,
} as const;

/** Tasks that only look; they may run beside anything. */
const looksOnly: readonly RepositoryTask['operation'][] = ['check', 'usage'];

/**
 * The Job for one task, made from the controller's own pod template; not created yet.
 * @throws CONTROLLER_NOT_FOUND, REPOSITORY_BUSY when another Job works on the repository and this task must be alone; KUBE_…
 */
export async function plannedJob(
  { kube, clock }: Pick<TaskPorts, 'kube' | 'clock'>,
  repository: BackupRepository,
  task: RepositoryTask,
  signal: AbortSignal,
): Promise<Job> {
  const { namespace = '' } = repository.metadata;
  const deployment = await controllerDeployment({ kube }, namespace, signal);
  if (!looksOnly.includes(task.operation)) await mustBeIdle({ kube }, repository, signal);
  const settings = await jobSettings({ kube, clock }, repository, deployment, signal);
  return maintenanceJob({ repository, deployment, task, settings, atMs: clock.now(), ...jobLimits });
}

const configMapFlag = '--repo-maintenance-job-configmap';

/** Resources, nodes and priority as the controller's own Jobs have them; the defaults for somebody who may not read them. */
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

/** Two that change a repository at once would wait for each other's locks at best. */
async function mustBeIdle(
  { kube }: Pick<TaskPorts, 'kube'>,
  repository: BackupRepository,
  signal: AbortSignal,
): Promise<void> {
  const { namespace = '', name = '' } = repository.metadata;
  const [busy] = await runningJobs({ kube }, namespace, signal, name);
  if (busy === undefined) return;
  throw new AppError('REPOSITORY_BUSY', `Job ${namespace}/${busy.metadata.name} is at work on repository ${name}`, {
    retry: 'later',
    nextStep: 'Start again when it has ended; kubectl delete job ends it at once.',
  });
}

/** Jobs at repositories that have not ended, of one repository or of all. */
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
  return items.filter((job) => endOfJob(job) === undefined && job.metadata.deletionTimestamp === undefined);
}

/** The condition that says that a Job has ended, if it has. */
export function endOfJob({ status }: Job) {
  return status?.conditions?.find(
    ({ type, status: value }) => (type === 'Complete' || type === 'Failed') && value === 'True',
  );
}
