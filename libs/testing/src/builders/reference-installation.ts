import type {
  BackupStorageLocation,
  Container,
  DaemonSet,
  Deployment,
  Namespace,
  Secret,
  ServiceAccount,
  Unstructured,
} from '@lateen/api-types';

export interface ReferenceParts {
  namespace?: string;
  /** Image to use instead of Velero's. */
  image?: string;
}

export interface ReferenceObjects {
  namespace: Namespace;
  account: ServiceAccount;
  binding: Unstructured;
  secret: Secret;
  location: BackupStorageLocation;
  snapshotLocation: Unstructured;
  server: Deployment;
  agent: DaemonSet;
}

/**
 * The objects that `velero install --provider aws --use-node-agent --features EnableCSI` of 1.18.1 creates besides its
 * definitions, in the form in which an API server returns them; the Secret is empty.
 */
export function referenceInstallation({
  namespace = 'velero',
  image = 'velero/velero:v1.18.1',
}: ReferenceParts = {}): ReferenceObjects & { all: Unstructured[] } {
  const labels = { component: 'velero' };
  const bindingName = namespace === 'velero' ? 'velero' : `velero-${namespace}`;
  const inNamespace = (name: string) => ({ name, namespace, labels });
  const security = ['audit', 'enforce', 'warn'].flatMap((mode) => [
    [`pod-security.kubernetes.io/${mode}`, 'privileged'],
    [`pod-security.kubernetes.io/${mode}-version`, 'latest'],
  ]);
  const objects: ReferenceObjects = {
    namespace: {
      apiVersion: 'v1',
      kind: 'Namespace',
      metadata: { name: namespace, labels: { ...labels, ...Object.fromEntries(security) } },
    },
    account: { apiVersion: 'v1', kind: 'ServiceAccount', metadata: inNamespace('velero') },
    binding: {
      apiVersion: 'rbac.authorization.k8s.io/v1',
      kind: 'ClusterRoleBinding',
      metadata: { name: bindingName, labels },
      roleRef: { apiGroup: 'rbac.authorization.k8s.io', kind: 'ClusterRole', name: 'cluster-admin' },
      subjects: [{ kind: 'ServiceAccount', name: 'velero', namespace }],
    },
    secret: {
      apiVersion: 'v1',
      kind: 'Secret',
      metadata: inNamespace('cloud-credentials'),
      type: 'Opaque',
      data: { cloud: '' },
    },
    location: {
      apiVersion: 'velero.io/v1',
      kind: 'BackupStorageLocation',
      metadata: inNamespace('default'),
      spec: {
        provider: 'aws',
        default: true,
        objectStorage: { bucket: 'b' },
        config: { region: 'minio', s3ForcePathStyle: 'true' },
      },
    },
    snapshotLocation: {
      apiVersion: 'velero.io/v1',
      kind: 'VolumeSnapshotLocation',
      metadata: inNamespace('default'),
      spec: { provider: 'aws' },
    },
    server: server(inNamespace('velero'), image),
    agent: agent(inNamespace('node-agent'), image),
  };
  return { ...objects, all: Object.values(objects) as Unstructured[] };
}

const affinity = {
  nodeAffinity: {
    requiredDuringSchedulingIgnoredDuringExecution: {
      nodeSelectorTerms: [
        { matchExpressions: [{ key: 'kubernetes.io/os', operator: 'NotIn' as const, values: ['windows'] }] },
      ],
    },
  },
};

const credentials = ['GOOGLE_APPLICATION_CREDENTIALS', 'AWS_SHARED_CREDENTIALS_FILE', 'AZURE_CREDENTIALS_FILE'];
const credentialsVolume = { name: 'cloud-credentials', secret: { defaultMode: 292, secretName: 'cloud-credentials' } };
const fromField = (name: string, fieldPath: string) => ({
  name,
  valueFrom: { fieldRef: { apiVersion: 'v1', fieldPath } },
});
const env = [
  { name: 'VELERO_SCRATCH_DIR', value: '/scratch' },
  fromField('VELERO_NAMESPACE', 'metadata.namespace'),
  ...[...credentials, 'ALIBABA_CLOUD_CREDENTIALS_FILE'].map((name) => ({ name, value: '/credentials/cloud' })),
];

function server(metadata: Deployment['metadata'], image: string): Deployment {
  const container: Container = {
    name: 'velero',
    image,
    imagePullPolicy: 'IfNotPresent',
    command: ['/velero'],
    args: ['server', '--features=EnableCSI', '--uploader-type=kopia'],
    env: [...env, { name: 'LD_LIBRARY_PATH', value: '/plugins' }],
    ports: [{ name: 'metrics', containerPort: 8085, protocol: 'TCP' }],
    resources: { limits: { cpu: '1', memory: '512Mi' }, requests: { cpu: '500m', memory: '128Mi' } },
    volumeMounts: [
      { name: 'plugins', mountPath: '/plugins' },
      { name: 'scratch', mountPath: '/scratch' },
      { name: 'cloud-credentials', mountPath: '/credentials' },
    ],
  };
  return {
    apiVersion: 'apps/v1',
    kind: 'Deployment',
    metadata,
    spec: {
      replicas: 1,
      selector: { matchLabels: { deploy: 'velero' } },
      template: {
        metadata: {
          labels: { component: 'velero', deploy: 'velero' },
          annotations: {
            'prometheus.io/path': '/metrics',
            'prometheus.io/port': '8085',
            'prometheus.io/scrape': 'true',
          },
        },
        spec: {
          serviceAccountName: 'velero',
          affinity,
          os: { name: 'linux' },
          initContainers: [
            {
              name: 'velero-velero-plugin-for-aws',
              image: 'velero/velero-plugin-for-aws:v1.14.1',
              imagePullPolicy: 'IfNotPresent',
              volumeMounts: [{ name: 'plugins', mountPath: '/target' }],
            },
          ],
          containers: [container],
          volumes: [{ name: 'plugins', emptyDir: {} }, { name: 'scratch', emptyDir: {} }, credentialsVolume],
        },
      },
    },
  };
}

function agent(metadata: DaemonSet['metadata'], image: string): DaemonSet {
  const hostPath = (name: string, path: string) => ({ name, hostPath: { path, type: '' } });
  const container: Container = {
    name: 'node-agent',
    image,
    imagePullPolicy: 'IfNotPresent',
    command: ['/velero'],
    args: ['node-agent', 'server', '--features=EnableCSI'],
    env: [fromField('NODE_NAME', 'spec.nodeName'), ...env],
    ports: [{ name: 'metrics', containerPort: 8085, protocol: 'TCP' }],
    securityContext: { privileged: false },
    volumeMounts: [
      { name: 'host-pods', mountPath: '/host_pods', mountPropagation: 'HostToContainer' },
      { name: 'host-plugins', mountPath: '/var/lib/kubelet/plugins', mountPropagation: 'HostToContainer' },
      { name: 'scratch', mountPath: '/scratch' },
      { name: 'cloud-credentials', mountPath: '/credentials' },
    ],
  };
  return {
    apiVersion: 'apps/v1',
    kind: 'DaemonSet',
    metadata,
    spec: {
      selector: { matchLabels: { name: 'node-agent' } },
      template: {
        metadata: { labels: { component: 'velero', name: 'node-agent', role: 'node-agent' } },
        spec: {
          serviceAccountName: 'velero',
          affinity,
          securityContext: { runAsUser: 0 },
          containers: [container],
          volumes: [
            hostPath('host-pods', '/var/lib/kubelet/pods'),
            hostPath('host-plugins', '/var/lib/kubelet/plugins'),
            { name: 'scratch', emptyDir: {} },
            credentialsVolume,
          ],
        },
      },
    },
  };
}
