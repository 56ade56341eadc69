import type { KubeObject, Unstructured } from '@lateen/api-types';
import type { FakeCluster } from '@lateen/testing';

type Labels = Readonly<Record<string, string>>;

interface ReplicaSetSpec {
  replicas?: number;
  selector?: { matchLabels?: Labels };
  template?: { metadata?: { labels?: Labels }; spec?: object };
}

const podType = { group: '', version: 'v1', resource: 'pods', kind: 'Pod', namespaced: true } as const;
const endpointsType = { group: '', version: 'v1', resource: 'endpoints', kind: 'Endpoints', namespaced: true } as const;

/**
 * The controllers of a cluster, which create missing objects immediately: pods of a ReplicaSet, the Endpoints of a Service. Objects that
 * are restored in the wrong order conflict with these.
 */
export function controllersActor(cluster: FakeCluster): void {
  cluster.onChange(({ type, object }) => {
    if (type !== 'ADDED') return;
    if (object.kind === 'ReplicaSet') void Promise.resolve().then(() => fillReplicaSet(cluster, object));
    if (object.kind === 'Service') void Promise.resolve().then(() => addEndpoints(cluster, object));
  });
}

function fillReplicaSet(cluster: FakeCluster, set: Unstructured): void {
  const { namespace = '', name = '' } = set.metadata;
  const { replicas = 1, selector, template } = (set.spec ?? {}) as ReplicaSetSpec;
  const wanted = Object.entries(selector?.matchLabels ?? {});
  const isOurs = ({ metadata }: KubeObject) => wanted.every(([key, value]) => metadata.labels?.[key] === value);
  const there = cluster.all(podType, namespace).filter(isOurs).length;
  for (let at = there; at < replicas; at += 1) {
    const metadata = { namespace, name: `${name}-made-${at}`, labels: { ...template?.metadata?.labels } };
    cluster.put({ apiVersion: 'v1', kind: 'Pod', metadata, spec: template?.spec ?? {} } as KubeObject);
  }
}

function addEndpoints(cluster: FakeCluster, service: Unstructured): void {
  const { namespace = '', name = '' } = service.metadata;
  if ((service.spec as { type?: string } | undefined)?.type === 'ExternalName') return;
  if (cluster.find(endpointsType, { namespace, name }) !== undefined) return;
  cluster.put({ apiVersion: 'v1', kind: 'Endpoints', metadata: { namespace, name } });
}
