import type { KubeObject } from '@lateen/api-types';
import { isJsonObject } from '@lateen/kube';
import type { FakeCluster } from '@lateen/testing';

/** Of the cluster, not of what was restored: chance, counters and the time of day. */
const given = ['uid', 'resourceVersion', 'creationTimestamp', 'generation'];
const times = ['lastTransitionTime'];
/** What the server picks for a Service that asks for none. */
const picked = ['clusterIP', 'clusterIPs', 'nodePort', 'healthCheckNodePort'];

/** All objects of a cluster by place, as text: what must be the same whatever the order was in which they came. */
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

/** Where two of a kind differ: by key, what the one and the other have. */
export function differences(one: Record<string, unknown>, other: Record<string, unknown>): Record<string, unknown[]> {
  const keys = [...new Set([...Object.keys(one), ...Object.keys(other)])];
  const differing = keys.filter((key) => JSON.stringify(one[key]) !== JSON.stringify(other[key]));
  return Object.fromEntries(differing.map((key) => [key, [one[key], other[key]]]));
}
