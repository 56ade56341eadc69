import {
  type BackupRepository,
  type Container,
  type Deployment,
  type Job,
  jobType,
  type LabelSelector,
  labels,
  limitVariables,
  nodeRequirements,
  type PodSpec,
  type ResourceRequirements,
  returnNameOrHash,
} from '@lateen/api-types';
import { ownerReferenceTo } from '@lateen/kube';
import { inheritedTemplate } from './inherited-template.ts';
import { comparedVolumePath, type RepositoryTask, taskArguments } from './repository-job.ts';

/** What an installation has chosen for these Jobs; see `maintenanceSettings`. */
export interface MaintenanceJobSettings {
  /** Absent: best effort. */
  resources?: ResourceRequirements | undefined;
  /** Which nodes may be taken; absent: any. */
  nodeSelector?: LabelSelector | undefined;
  priorityClassName?: string | undefined;
  /** Instead of the labels that the controller's template would hand on. */
  podLabels?: Readonly<Record<string, string>> | undefined;
  /** Likewise. */
  podAnnotations?: Readonly<Record<string, string>> | undefined;
}

export interface MaintenanceJobInput {
  repository: BackupRepository;
  /** The controller's: image, environment, volumes, service account and security come from it. */
  deployment: Deployment;
  task: RepositoryTask;
  settings?: MaintenanceJobSettings;
  /** Makes the name unique: for maintenance when it was due, else the present; ms since the epoch. */
  atMs: number;
  /** The Job ends as failed after so long, waits for a node included. */
  deadlineMs: number;
  /** The cluster deletes the Job this long after its end; absent: its creator deletes it. */
  keptMs?: number;
}

/** Names that other programs look for (data-movement.md section 10). */
export const maintenanceJobNames = {
  pod: 'velero-repo-maintenance-pod',
  container: 'velero-repo-maintenance-container',
} as const;

/** Tells the program in the Job the name of that, which is the name of who has the repository's lock. */
export const jobNameVariable = 'LATEEN_JOB_NAME';

const nameLengthMax = 63;

/** `<repository>-maintain-job-<ms>`, or without the repository's name where that would be too long. */
export function maintenanceJobName(
  repositoryName: string,
  operation: RepositoryTask['operation'],
  atMs: number,
): string {
  const name = `${repositoryName}-${operation}-job-${Math.trunc(atMs)}`;
  return name.length <= nameLengthMax ? name : `repo-${operation}-job-${Math.trunc(atMs)}`;
}

/** The labels by which the Jobs of a repository are found. */
export const maintenanceJobLabels = (repositoryName: string): Record<string, string> => ({
  [labels.repoName]: returnNameOrHash(repositoryName),
});

/**
 * The Job that does one task with one repository, inside the cluster and with the controller's own means
 * (data-movement.md section 10); pure. It is tried once: its creator decides about another attempt. It belongs to the
 * BackupRepository and goes with it. No toleration for Windows nodes: the image is for Linux.
 * @throws OWNER_NOT_STORED, MAINTENANCE_DEPLOYMENT_SHAPE
 */
export function maintenanceJob(input: MaintenanceJobInput): Job {
  const { repository, deployment, task, settings = {}, atMs } = input;
  const { name = '', namespace = '' } = repository.metadata;
  const jobName = maintenanceJobName(name, task.operation, atMs);
  const inherited = inheritedTemplate(deployment);
  const own = { ...maintenanceJobLabels(name), [labels.repositoryOperation]: task.operation };
  const podAnnotations = { ...(settings.podAnnotations ?? inherited.annotations) };
  const spec: PodSpec = {
    ...inherited.pod,
    restartPolicy: 'Never',
    os: { name: 'linux' },
    containers: [containerOf(input, jobName, inherited)],
  };
  if (isCompared(task))
    spec.volumes = [
      ...(inherited.pod.volumes ?? []),
      { name: comparedVolume, persistentVolumeClaim: { claimName: jobName } },
    ];
  const affinity = nodeRequirements(settings.nodeSelector);
  if (affinity.length > 0) {
    spec.affinity = {
      nodeAffinity: {
        requiredDuringSchedulingIgnoredDuringExecution: { nodeSelectorTerms: [{ matchExpressions: affinity }] },
      },
    };
  }
  if (settings.priorityClassName !== undefined) spec.priorityClassName = settings.priorityClassName;
  return {
    apiVersion: `${jobType.group}/${jobType.version}`,
    kind: jobType.kind,
    metadata: {
      name: jobName,
      namespace,
      labels: own,
      ownerReferences: [ownerReferenceTo(repository)],
    },
    spec: {
      backoffLimit: 0,
      activeDeadlineSeconds: Math.ceil(input.deadlineMs / 1000),
      ...(input.keptMs === undefined ? {} : { ttlSecondsAfterFinished: Math.ceil(input.keptMs / 1000) }),
      template: {
        metadata: {
          name: maintenanceJobNames.pod,
          labels: { ...(settings.podLabels ?? inherited.labels), ...own },
          ...(Object.keys(podAnnotations).length === 0 ? {} : { annotations: podAnnotations }),
        },
        spec,
      },
    },
  };
}

function containerOf(
  { repository, task, settings }: MaintenanceJobInput,
  jobName: string,
  inherited: ReturnType<typeof inheritedTemplate>,
): Container {
  const own = [
    ...limitVariables(settings?.resources, ['memory']),
    // No flag: the image may be of a version that does not know it.
    { name: jobNameVariable, value: jobName },
  ];
  const names = new Set(own.map(({ name }) => name));
  return {
    ...inherited.container,
    name: maintenanceJobNames.container,
    command: ['repo-maintenance'],
    args: [...taskArguments(task, repository.metadata.name ?? ''), ...inherited.logArgs],
    env: [...(inherited.container.env ?? []).filter(({ name }) => !names.has(name)), ...own],
    terminationMessagePolicy: 'FallbackToLogsOnError',
    ...(isCompared(task) ? devicesOf(inherited.container) : {}),
    ...(settings?.resources === undefined ? {} : { resources: settings.resources }),
  };
}

/** The pod's name of the volume that a snapshot is compared with. */
const comparedVolume = 'compared-volume';

const isCompared = (task: RepositoryTask): boolean => task.operation === 'verify' && task.isCompared;

/** Block devices belong to root, and have the same owner in a container. */
const devicesOf = ({ securityContext }: Pick<Container, 'securityContext'>): Partial<Container> => ({
  volumeDevices: [{ name: comparedVolume, devicePath: comparedVolumePath }],
  securityContext: { ...securityContext, runAsNonRoot: false, runAsUser: 0 },
});
