import type { ConfigMap, DaemonSet, Namespace, Node, Pod, PodPhase, Secret } from '@lateen/api-types';
import { builtMetadata, type ObjectParts, withStatus } from './built-object.ts';

export function aPod(
  parts: ObjectParts & {
    phase?: PodPhase;
    nodeName?: string;
    spec?: Partial<Pod['spec']>;
    status?: Partial<NonNullable<Pod['status']>>;
  } = {},
): Pod {
  const { phase, nodeName } = parts;
  const pod: Pod = {
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: builtMetadata('Pod', { name: 'pod', namespace: 'velero' }, parts),
    spec: {
      containers: [{ name: 'main', image: 'localhost/lateen:dev' }],
      ...(nodeName === undefined ? {} : { nodeName }),
      ...parts.spec,
    },
  };
  return withStatus(pod, { phase: phase ?? 'Pending', ...parts.status });
}

/** A ready Linux node. */
export function aNode(parts: ObjectParts & { spec?: Node['spec']; status?: Node['status'] } = {}): Node {
  const name = parts.name ?? 'node-1';
  const labels = { 'kubernetes.io/hostname': name, 'kubernetes.io/os': 'linux' };
  const node: Node = {
    apiVersion: 'v1',
    kind: 'Node',
    metadata: builtMetadata('Node', { name, labels }, parts),
    ...(parts.spec === undefined ? {} : { spec: parts.spec }),
  };
  return withStatus(node, {
    conditions: [{ type: 'Ready', status: 'True' }],
    nodeInfo: { operatingSystem: 'linux', architecture: 'amd64' },
    ...parts.status,
  });
}

/** The DaemonSet `node-agent` with the fields that a data mover's pod inherits. */
export function aDaemonSet(parts: ObjectParts & { spec?: Partial<DaemonSet['spec']> } = {}): DaemonSet {
  const labels = { name: 'node-agent', role: 'node-agent' };
  return {
    apiVersion: 'apps/v1',
    kind: 'DaemonSet',
    metadata: builtMetadata('DaemonSet', { name: 'node-agent', namespace: 'velero', labels }, parts),
    spec: {
      selector: { matchLabels: { name: 'node-agent' } },
      template: {
        metadata: { labels },
        spec: {
          serviceAccountName: 'velero',
          containers: [
            {
              name: 'node-agent',
              image: 'localhost/lateen:dev',
              imagePullPolicy: 'IfNotPresent',
              env: [
                { name: 'VELERO_NAMESPACE', value: 'velero' },
                { name: 'VELERO_SCRATCH_DIR', value: '/scratch' },
              ],
              volumeMounts: [{ name: 'scratch', mountPath: '/scratch' }],
            },
          ],
          volumes: [{ name: 'scratch', emptyDir: {} }],
        },
      },
      ...parts.spec,
    },
  };
}

/** Values are given as plain text and stored in base64, as the API server does. */
export function aSecret(parts: ObjectParts & { type?: string; values?: Record<string, string> } = {}): Secret {
  const values = Object.entries(parts.values ?? {});
  return {
    apiVersion: 'v1',
    kind: 'Secret',
    metadata: builtMetadata('Secret', { name: 'secret', namespace: 'velero' }, parts),
    type: parts.type ?? 'Opaque',
    data: Object.fromEntries(values.map(([key, value]) => [key, Buffer.from(value).toString('base64')])),
  };
}

export function aConfigMap(parts: ObjectParts & { data?: Record<string, string> } = {}): ConfigMap {
  return {
    apiVersion: 'v1',
    kind: 'ConfigMap',
    metadata: builtMetadata('ConfigMap', { name: 'config', namespace: 'velero' }, parts),
    data: parts.data ?? {},
  };
}

export function aNamespace(parts: ObjectParts = {}): Namespace {
  return {
    apiVersion: 'v1',
    kind: 'Namespace',
    metadata: builtMetadata('Namespace', { name: 'app' }, parts),
    status: { phase: 'Active' },
  };
}
