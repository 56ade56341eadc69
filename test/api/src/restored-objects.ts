import type { Unstructured } from '@lateen/api-types';

const labels = { app: 'shop' };
const spec = { containers: [{ name: 'main', image: 'example.com/main:1' }] };
const template = { metadata: { labels }, spec };
const rbac = 'rbac.authorization.k8s.io';

/** Objects of all common kinds in a namespace, with only the fields that users write. */
export const objectsOfAllKinds = (namespace: string): Unstructured[] =>
  (
    [
      // In a cluster a controller creates it; pods need it.
      ['v1', 'ServiceAccount', 'default', {}],
      ['v1', 'ServiceAccount', 'robot', { imagePullSecrets: [{ name: 'secret' }] }],
      [
        'v1',
        'ConfigMap',
        'config',
        { data: { 'a.b': 'é <&> "1.0" 9007199254740993' }, binaryData: { raw: 'AAECAw==' } },
      ],
      ['v1', 'ConfigMap', 'sealed', { immutable: true, data: { a: '1' } }],
      ['v1', 'Secret', 'secret', { type: 'example.com/own', data: { key: 'aHVudGVyMg==' } }],
      [
        'v1',
        'LimitRange',
        'limits',
        { spec: { limits: [{ type: 'PersistentVolumeClaim', max: { storage: '10Gi' } }] } },
      ],
      [
        'v1',
        'PersistentVolumeClaim',
        'claim',
        {
          spec: {
            accessModes: ['ReadWriteOnce'],
            storageClassName: 'nobody',
            resources: { requests: { storage: '1.5Gi' } },
          },
        },
      ],
      [
        'v1',
        'Pod',
        'pod',
        {
          spec: {
            ...spec,
            serviceAccountName: 'robot',
            volumes: [{ name: 'data', persistentVolumeClaim: { claimName: 'claim' } }],
          },
        },
      ],
      ['v1', 'Service', 'web', { spec: { type: 'NodePort', selector: labels, ports: [{ port: 80 }] } }],
      ['v1', 'Service', 'headless', { spec: { clusterIP: 'None', selector: labels, ports: [{ port: 80 }] } }],
      ['v1', 'Service', 'elsewhere', { spec: { type: 'ExternalName', externalName: 'example.com' } }],
      ['v1', 'Endpoints', 'web', { subsets: [{ addresses: [{ ip: '192.0.2.1' }], ports: [{ port: 80 }] }] }],
      ['apps/v1', 'Deployment', 'deployment', { spec: { replicas: 0, selector: { matchLabels: labels }, template } }],
      ['apps/v1', 'ReplicaSet', 'set', { spec: { replicas: 0, selector: { matchLabels: labels }, template } }],
      [
        'apps/v1',
        'StatefulSet',
        'stateful',
        { spec: { serviceName: 'web', selector: { matchLabels: labels }, template } },
      ],
      ['apps/v1', 'DaemonSet', 'daemon', { spec: { selector: { matchLabels: labels }, template } }],
      ['batch/v1', 'Job', 'job', { spec: { template: { spec: { ...spec, restartPolicy: 'Never' } } } }],
      [
        'batch/v1',
        'CronJob',
        'cron',
        {
          spec: {
            schedule: '0 1 * * *',
            jobTemplate: { spec: { template: { spec: { ...spec, restartPolicy: 'Never' } } } },
          },
        },
      ],
      [
        'networking.k8s.io/v1',
        'Ingress',
        'front',
        { spec: { defaultBackend: { service: { name: 'web', port: { number: 80 } } } } },
      ],
      ['networking.k8s.io/v1', 'NetworkPolicy', 'closed', { spec: { podSelector: {} } }],
      ['policy/v1', 'PodDisruptionBudget', 'budget', { spec: { minAvailable: 1, selector: { matchLabels: labels } } }],
      [
        'autoscaling/v2',
        'HorizontalPodAutoscaler',
        'scale',
        { spec: { maxReplicas: 3, scaleTargetRef: { apiVersion: 'apps/v1', kind: 'Deployment', name: 'deployment' } } },
      ],
      ['coordination.k8s.io/v1', 'Lease', 'lease', { spec: { renewTime: '2026-01-01T00:00:00.123456Z' } }],
      [`${rbac}/v1`, 'Role', 'Role:reader', { rules: [{ apiGroups: [''], resources: ['pods'], verbs: ['get'] }] }],
      [
        `${rbac}/v1`,
        'RoleBinding',
        'binding',
        {
          roleRef: { apiGroup: rbac, kind: 'Role', name: 'Role:reader' },
          subjects: [{ kind: 'ServiceAccount', name: 'robot', namespace }],
        },
      ],
    ] as const
  ).map(([apiVersion, kind, name, fields]) => ({
    apiVersion,
    kind,
    metadata: { name, namespace, annotations: { note: `${kind} of a person` }, labels: { kind: kind.toLowerCase() } },
    ...fields,
  }));
