/** Common settings of the pods of these tests: `main` sleeps, ends immediately when told to, and mounts each volume below /volumes. */
export interface FaultPod {
  name: string;
  image: string;
  /** Volume sources by name; the first is backed up unless annotations say otherwise. */
  volumes?: Record<string, object>;
  /** Volumes that no container mounts. */
  unmounted?: readonly string[];
  annotations?: Record<string, string>;
  node?: string;
}

const sleeping = 'trap exit TERM; while :; do sleep 1; done';

function podTemplate({
  name,
  image,
  volumes = { data: { emptyDir: {} } },
  unmounted = [],
  annotations,
  node,
}: FaultPod) {
  const names = Object.keys(volumes);
  return {
    metadata: {
      name,
      labels: { app: name },
      annotations: { 'backup.velero.io/backup-volumes': names.join(','), ...annotations },
    },
    spec: {
      terminationGracePeriodSeconds: 1,
      ...(node === undefined ? {} : { nodeSelector: { 'kubernetes.io/hostname': node } }),
      containers: [
        {
          name: 'main',
          image,
          imagePullPolicy: 'IfNotPresent',
          command: ['sh', '-c', sleeping],
          volumeMounts: names
            .filter((volume) => !unmounted.includes(volume))
            .map((volume) => ({ name: volume, mountPath: `/volumes/${volume}` })),
        },
      ],
      volumes: names.map((volume) => ({ name: volume, ...volumes[volume] })),
    },
  };
}

export const aFaultPod = (options: FaultPod) => ({ apiVersion: 'v1', kind: 'Pod', ...podTemplate(options) });

/** Its pod is `<name>-0`, and is created again under this name. */
export function aFaultSet(options: FaultPod) {
  const { metadata, spec } = podTemplate(options);
  const { name, ...template } = metadata;
  return {
    apiVersion: 'apps/v1',
    kind: 'StatefulSet',
    metadata: { name },
    spec: {
      serviceName: name,
      replicas: 1,
      selector: { matchLabels: { app: name } },
      template: { metadata: template, spec },
    },
  };
}

export const aFaultClaim = (name: string, spec: object) => ({
  apiVersion: 'v1',
  kind: 'PersistentVolumeClaim',
  metadata: { name },
  spec: { accessModes: ['ReadWriteOnce'], resources: { requests: { storage: '64Mi' } }, ...spec },
});
