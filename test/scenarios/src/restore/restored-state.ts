import type { KubeObject } from '@lateen/api-types';
import { isJsonObject } from '@lateen/kube';
import type { FakeCluster } from '@lateen/testing';

/** Fields that depend on random values, counters and the time of day. */
const given = ['uid', 'resourceVersion', 'creationTimestamp', 'generation'];
const times = ['lastTransitionTime'];
/** Fields that the server chooses for a Service without them. */
const picked = ['clusterIP', 'clusterIPs', 'nodePort', 'healthCheckNodePort'];

/** All objects of a cluster as text, by place: has to be the same whatever the order in which they were created. */
export function stateOf(cluster: FakeCluster): Record<string, string> {
  const entries = cluster.everything().map((object): [string, string] => [placeOf(object), textOf(object)]);
  return Object.fromEntries(entries.sort(([a], [b]) => (a < b ? -1 : 1)));
}

export function placeOf({ apiVersion, kind, metadata: { namespace, name } }: KubeObject): string {
  const group = apiVersion.includes('/') ? `.${apiVersion.split('/')[0]}` : '';
  return `${kind}${group} ${namespace === undefined ? '' : `${namespace}/`}${name}`;
}

function textOf(object: KubeObject): string {
  const metadata = Object.entries(object.metadata).filter(([field]) => !given.includes(field));
  const bare = { ...object, metadata: Object.fromEntries(metadata) };
  return JSON.stringify(bare, (field, value: unknown) => {
    if (times.includes(field)) return undefined;
    if (picked.includes(field) && object.kind === 'Service' && value !== 'None') return 'picked';
    if (isJsonObject(value)) {
      return Object.fromEntries(Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1)));
    }
    return value;
  });
}

/** Differences between two states: by key, the value in each. */
export function differences(one: Record<string, unknown>, other: Record<string, unknown>): Record<string, unknown[]> {
  const keys = [...new Set([...Object.keys(one), ...Object.keys(other)])];
  const differing = keys.filter((key) => JSON.stringify(one[key]) !== JSON.stringify(other[key]));
  return Object.fromEntries(differing.map((key) => [key, [one[key], other[key]]]));
}
