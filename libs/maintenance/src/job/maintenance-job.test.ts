import type { BackupRepository, Deployment, PodSpec } from '@lateen/api-types';
import { describe, expect, it } from 'vitest';
import { maintenanceJob, maintenanceJobName } from './maintenance-job.ts';
import type { RepositoryTask } from './repository-job.ts';

const repository: BackupRepository = {
  apiVersion: 'velero.io/v1',
  kind: 'BackupRepository',
  metadata: { name: 'shop-default-kopia', namespace: 'velero', uid: 'u-1' },
  spec: {
    volumeNamespace: 'shop',
    backupStorageLocation: 'default',
    repositoryType: 'kopia',
    maintenanceFrequency: '1h',
  },
};

function deploymentWith(pod: Partial<PodSpec> = {}): Deployment {
  return {
    apiVersion: 'apps/v1',
    kind: 'Deployment',
    metadata: { name: 'lateen-controller', namespace: 'velero' },
    spec: {
      selector: { matchLabels: { name: 'lateen-controller' } },
      template: {
        metadata: {
          labels: { name: 'lateen-controller', 'azure.workload.identity/use': 'true' },
          annotations: { 'prometheus.io/port': '8085', 'iam.amazonaws.com/role': 'r' },
        },
        spec: {
          serviceAccountName: 'velero',
          securityContext: { runAsUser: 65532 },
          volumes: [{ name: 'scratch', emptyDir: {} }],
          tolerations: [{ key: 'backup', operator: 'Exists' }],
          containers: [
            {
              name: 'lateen-controller',
              image: 'lateen:1',
              command: ['lateen-controller'],
              args: ['--log-level=debug', '--log-format', 'json', '--repo-maintenance-job-configmap=x'],
              env: [{ name: 'HOME', value: '/scratch' }],
              volumeMounts: [{ name: 'scratch', mountPath: '/scratch' }],
              livenessProbe: { httpGet: {} },
              ports: [{ containerPort: 8085 }],
              resources: { limits: { memory: '1Gi' } },
            },
          ],
          ...pod,
        },
      },
    },
  };
}

const jobFor = (task: RepositoryTask, more = {}) =>
  maintenanceJob({
    repository,
    deployment: deploymentWith(),
    task,
    atMs: 1_700_000_000_000,
    deadlineMs: 60_000,
    ...more,
  });

describe('maintenanceJob', () => {
  it('runs once, has the labels that other programs select by, and is owned by its repository', () => {
    const job = jobFor({ operation: 'maintain', mode: 'auto' });
    expect(job.metadata).toEqual({
      name: 'shop-default-kopia-maintain-job-1700000000000',
      namespace: 'velero',
      labels: { 'velero.io/repo-name': 'shop-default-kopia', 'lateen.dev/repository-operation': 'maintain' },
      ownerReferences: [
        { apiVersion: 'velero.io/v1', kind: 'BackupRepository', name: 'shop-default-kopia', uid: 'u-1' },
      ],
    });
    expect(job.spec).toMatchObject({
      backoffLimit: 0,
      activeDeadlineSeconds: 60,
      template: { metadata: { name: 'velero-repo-maintenance-pod' }, spec: { restartPolicy: 'Never' } },
    });
    expect(job.spec.ttlSecondsAfterFinished).toBeUndefined();
  });

  it('inherits the settings of the controller, but not its selector labels', () => {
    const { template } = jobFor({ operation: 'usage' }).spec;
    expect(template.metadata?.labels).toEqual({
      'azure.workload.identity/use': 'true',
      'velero.io/repo-name': 'shop-default-kopia',
      'lateen.dev/repository-operation': 'usage',
    });
    expect(template.metadata?.annotations).toEqual({ 'iam.amazonaws.com/role': 'r' });
    expect(template.spec).toMatchObject({
      serviceAccountName: 'velero',
      securityContext: { runAsUser: 65532 },
      volumes: [{ name: 'scratch', emptyDir: {} }],
      tolerations: [{ key: 'backup', operator: 'Exists' }],
    });
    expect(template.spec.containers).toEqual([
      {
        name: 'velero-repo-maintenance-container',
        image: 'lateen:1',
        command: ['repo-maintenance'],
        args: ['usage', '--repo-name=shop-default-kopia', '--output=json', '--log-level=debug', '--log-format=json'],
        env: [
          { name: 'HOME', value: '/scratch' },
          { name: 'LATEEN_JOB_NAME', value: 'shop-default-kopia-usage-job-1700000000000' },
        ],
        volumeMounts: [{ name: 'scratch', mountPath: '/scratch' }],
        terminationMessagePolicy: 'FallbackToLogsOnError',
      },
    ]);
  });

  it('has the node selection, resources and labels of the installation, and gets its memory limit', () => {
    const settings = {
      resources: { limits: { memory: '512Mi' } },
      nodeSelector: {
        matchLabels: { disk: 'fast' },
        matchExpressions: [{ key: 'gpu', operator: 'DoesNotExist' as const }],
      },
      priorityClassName: 'low',
      podLabels: { team: 'a' },
      podAnnotations: { note: 'b' },
    };
    const { metadata, spec } = jobFor({ operation: 'check', readDataPercent: 5 }, { settings }).spec.template;
    expect(metadata?.labels).toMatchObject({ team: 'a', 'velero.io/repo-name': 'shop-default-kopia' });
    expect(metadata?.labels).not.toHaveProperty('azure.workload.identity/use');
    expect(metadata?.annotations).toEqual({ note: 'b' });
    expect(spec.priorityClassName).toBe('low');
    expect(spec.affinity?.nodeAffinity?.requiredDuringSchedulingIgnoredDuringExecution?.nodeSelectorTerms).toEqual([
      {
        matchExpressions: [
          { key: 'disk', operator: 'In', values: ['fast'] },
          { key: 'gpu', operator: 'DoesNotExist' },
        ],
      },
    ]);
    const [container] = spec.containers;
    expect(container?.args).toContain('--read-data-percent=5');
    expect(container?.resources).toEqual({ limits: { memory: '512Mi' } });
    expect(container?.env?.map(({ name }) => name)).toEqual(['HOME', 'LATEEN_LIMIT_MEMORY_BYTES', 'LATEEN_JOB_NAME']);
  });

  it('gets the path of a new password, and has the password neither as an argument nor in its environment', () => {
    const task = { operation: 'change-password', newPasswordKey: 'password-next' } as const;
    const [container] = jobFor(task, { keptMs: 60_000 }).spec.template.spec.containers;
    expect(container?.args).toContain('--new-password-key=password-next');
    // containerd would write it to the node's disk.
    expect(JSON.stringify(container?.env)).not.toContain('secretKeyRef');
  });

  it('verifies a snapshot, and compares it with the volume of the claim of that name, as root', () => {
    const task = { operation: 'verify', snapshotID: 'k1', readDataPercent: 5, isCompared: true } as const;
    const job = jobFor(task);
    const { containers = [], volumes } = job.spec.template.spec;
    const path = '/dev/compared-volume';
    expect(containers[0]?.args).toEqual(
      expect.arrayContaining(['verify', '--snapshot-id=k1', '--read-data-percent=5', `--volume-path=${path}`]),
    );
    expect(containers[0]).toMatchObject({
      volumeDevices: [{ name: 'compared-volume', devicePath: path }],
      securityContext: { runAsNonRoot: false, runAsUser: 0 },
    });
    expect(volumes?.at(-1)).toEqual({
      name: 'compared-volume',
      persistentVolumeClaim: { claimName: job.metadata.name },
    });
    const plain = jobFor({ ...task, isCompared: false }).spec.template.spec;
    expect(JSON.stringify(plain)).not.toContain('compared-volume');
  });

  it('omits the repository name label when the name is too long', () => {
    const long = 'n'.repeat(60);
    expect(maintenanceJobName(long, 'maintain', 12)).toBe('repo-maintain-job-12');
    expect(jobFor({ operation: 'usage' }, { keptMs: 1 }).spec.ttlSecondsAfterFinished).toBe(1);
    const job = jobFor(
      { operation: 'unlock' },
      { repository: { ...repository, metadata: { ...repository.metadata, name: 'n'.repeat(80) } } },
    );
    expect(job.metadata.labels?.['velero.io/repo-name']).toMatch(/^[0-9a-f]{56}$/);
  });

  it('cannot be created from a Deployment without a container', () => {
    const deployment = deploymentWith({ containers: [] });
    expect(() => jobFor({ operation: 'usage' }, { deployment })).toThrowError(/has no container/);
  });
});
