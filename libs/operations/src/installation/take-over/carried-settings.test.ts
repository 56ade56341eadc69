import { referenceInstallation } from '@lateen/testing';
import { expect, it } from 'vitest';
import { carriedSettings } from './carried-settings.ts';

type Objects = ReturnType<typeof referenceInstallation>;
type Container = Objects['server']['spec']['template']['spec']['containers'][number];

function carried(change: (objects: Objects, server: Container, agent: Container) => void = () => {}) {
  const objects = referenceInstallation();
  const containers = [objects.server, objects.agent].map(({ spec }) => spec.template.spec.containers[0] as Container);
  change(objects, containers[0] as Container, containers[1] as Container);
  return carriedSettings({ server: objects.server, agents: [objects.agent], account: objects.account });
}

it('finds nothing to carry over, and nothing lost, in a plain `velero install`', () => {
  expect(carried()).toEqual({ settings: {}, remarks: [] });
});

it.each<[string[], object]>([
  [['--log-level=debug'], { logLevel: 'debug' }],
  [['--log-level', 'warning'], { logLevel: 'warn' }],
  [['--log-level=warn'], { logLevel: 'warn' }],
  [['--log-level=info'], {}],
  [['--backup-repository-configmap=repositories'], { backupRepositoryConfigmap: 'repositories' }],
  [['--repo-maintenance-job-configmap', 'jobs'], { repoMaintenanceJobConfigmap: 'jobs' }],
  [['--repo-maintenance-job-configmap='], {}],
  [['--concurrent-backups=3', '--item-block-worker-count=4'], { concurrentBackups: '3', itemBlockWorkerCount: '4' }],
  [['--default-snapshot-move-data'], { defaultSnapshotMoveData: 'true' }],
  [['--default-volumes-to-fs-backup'], { defaultVolumesToFsBackup: 'true' }],
  [['--default-volumes-to-fs-backup=false'], { defaultVolumesToFsBackup: 'false' }],
  [['--fs-backup-timeout=6h'], { podVolumeOperationTimeout: '6h' }],
  [['--pod-volume-operation-timeout', '6h'], { podVolumeOperationTimeout: '6h' }],
  [['--fs-backup-timeout=0'], {}],
  [['--features=EnableCSI'], {}],
  [['--features=EnableCSI,EnableAPIGroupVersions'], { features: 'EnableCSI,EnableAPIGroupVersions' }],
  [['--backup-sync-period=0s', '--garbage-collection-frequency=0s'], { backupSyncPeriod: '0s' }],
  [
    ['--garbage-collection-frequency=30m', '--schedule-skip-immediately'],
    { garbageCollectionFrequency: '30m', scheduleSkipImmediately: 'true' },
  ],
  [['--default-repo-maintain-frequency=0s'], {}],
  [['--default-repo-maintain-frequency=30m'], { defaultRepoMaintainFrequency: '30m' }],
])('maps server flags %j to %j', (args, settings) => {
  expect(carried((_, server) => server.args?.push(...args))).toEqual({ settings, remarks: [] });
});

it.each(['--client-burst=200', '--uploader-type=restic'])('reports that %s is lost', (flag) => {
  const { settings, remarks } = carried((_, server) => server.args?.push(flag));
  expect([settings, remarks]).toEqual([{}, [`flags of Deployment velero are not carried over: ${flag.split('=')[0]}`]]);
});

it.each([
  ['/var/lib/kubelet/pods', {}],
  ['/opt/k8s/kubelet/pods', { kubeletRootDir: '/opt/k8s/kubelet' }],
  ['/opt/k8s/kubelet/pods/', { kubeletRootDir: '/opt/k8s/kubelet' }],
  ['/somewhere/else', {}],
])('reads the kubelet directory from %s, where the agents have pods', (path, settings) => {
  const { settings: found } = carried(({ agent }) => {
    agent.spec.template.spec.volumes = [{ name: 'host-pods', hostPath: { path } }];
  });
  expect(found).toEqual(settings);
});

it('keeps using a custom ServiceAccount, and does not carry over its annotations', () => {
  const { settings } = carried(({ server, account }) => {
    server.spec.template.spec.serviceAccountName = 'backup-admin';
    account.metadata.annotations = { 'iam.gke.io/gcp-service-account': 'x' };
  });
  expect(settings).toEqual({ serviceAccountName: 'backup-admin' });
});

it('carries over labels and annotations through which a cloud grants permissions', () => {
  const { settings } = carried(({ server, account }) => {
    account.metadata.annotations = {
      'azure.workload.identity/client-id': 'c',
      'azure.workload.identity/tenant-id': 't',
      'example.dev/note': 'somebody else reads this',
    };
    server.spec.template.metadata = {
      labels: { 'azure.workload.identity/use': 'true', deploy: 'velero' },
      annotations: { 'iam.amazonaws.com/role': 'backup' },
    };
  });
  expect(settings).toEqual({
    saAnnotations: 'azure.workload.identity/client-id=c,azure.workload.identity/tenant-id=t',
    podLabels: 'azure.workload.identity/use=true',
    podAnnotations: 'iam.amazonaws.com/role=backup',
  });
});

it('names custom fields of the pods, but never a value', () => {
  const { remarks } = carried(({ server, agent }, container) => {
    container.env?.push({ name: 'HTTPS_PROXY', value: 'http://u:p@h' });
    server.spec.template.spec.imagePullSecrets = [{ name: 'registry' }];
    server.spec.template.spec.nodeSelector = { pool: 'infra' };
    agent.spec.template.spec.tolerations = [{ operator: 'Exists' }];
    agent.spec.template.spec.priorityClassName = 'high';
    server.spec.template.spec.initContainers?.push({ name: 'certificates', image: 'r.example/certificates:1' });
  });
  expect(remarks).toEqual([
    'variables of Deployment velero are not carried over: HTTPS_PROXY',
    'fields of Deployment velero are not carried over: nodeSelector, imagePullSecrets',
    'init containers of Deployment velero are not carried over: certificates',
    'fields of DaemonSet node-agent are not carried over: tolerations, priorityClassName',
  ]);
});

it('carries over plugins from any registry, except those with a built-in object store', () => {
  const images = [
    'r.example:5000/a/velero-plugin-for-microsoft-azure@sha256:0',
    'velero/velero-plugin-for-gcp',
    'r.example/velero-plugin-for-openstack:1',
    'quay.io/kubevirt/kubevirt-velero-plugin:v0.8.0',
  ];
  const { settings, remarks } = carried(({ server }) => {
    for (const image of images)
      server.spec.template.spec.initContainers?.push({
        name: 'p',
        image,
        volumeMounts: [{ name: 'plugins', mountPath: '/target' }],
      });
  });
  expect(remarks).toEqual([]);
  expect(settings).toEqual({
    plugins: 'r.example/velero-plugin-for-openstack:1,quay.io/kubevirt/kubevirt-velero-plugin:v0.8.0',
  });
});

it('carries nothing over from missing workloads', () => {
  expect(carriedSettings({ server: undefined, agents: [], account: undefined })).toEqual({ settings: {}, remarks: [] });
});
