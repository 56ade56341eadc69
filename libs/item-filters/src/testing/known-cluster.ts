import type { Namespace } from '@lateen/api-types';
import type { DiscoveredType } from '@lateen/kube';

/** The types that the cluster of these tests serves, in the server's order of preference. */
export const knownTypes: readonly DiscoveredType[] = [
  type('', 'v1', 'pods', 'Pod', { shortNames: ['po'] }),
  type('', 'v1', 'persistentvolumeclaims', 'PersistentVolumeClaim', { shortNames: ['pvc'] }),
  type('', 'v1', 'persistentvolumes', 'PersistentVolume', { shortNames: ['pv'], namespaced: false }),
  type('', 'v1', 'configmaps', 'ConfigMap', { shortNames: ['cm'] }),
  type('', 'v1', 'secrets', 'Secret'),
  type('', 'v1', 'services', 'Service', { shortNames: ['svc'] }),
  type('', 'v1', 'serviceaccounts', 'ServiceAccount', { shortNames: ['sa'] }),
  type('', 'v1', 'events', 'Event', { shortNames: ['ev'] }),
  type('', 'v1', 'namespaces', 'Namespace', { shortNames: ['ns'], namespaced: false }),
  type('', 'v1', 'nodes', 'Node', { shortNames: ['no'], namespaced: false }),
  type('apps', 'v1', 'deployments', 'Deployment', { shortNames: ['deploy'] }),
  type('apps', 'v1', 'statefulsets', 'StatefulSet', { shortNames: ['sts'] }),
  type('events.k8s.io', 'v1', 'events', 'Event', { shortNames: ['ev'] }),
  type('networking.k8s.io', 'v1', 'ingresses', 'Ingress', { shortNames: ['ing'], singular: 'ingress' }),
  type('rbac.authorization.k8s.io', 'v1', 'clusterroles', 'ClusterRole', { namespaced: false }),
  type('storage.k8s.io', 'v1', 'storageclasses', 'StorageClass', {
    shortNames: ['sc'],
    namespaced: false,
    singular: 'storageclass',
  }),
  type('apiextensions.k8s.io', 'v1', 'customresourcedefinitions', 'CustomResourceDefinition', {
    shortNames: ['crd'],
    namespaced: false,
  }),
  type('example.com', 'v1', 'widgets', 'Widget'),
  type('example.com', 'v1beta1', 'widgets', 'Widget', { preferred: false }),
  type('example.com', 'v1', 'fleets', 'Fleet', { namespaced: false }),
];

function type(
  group: string,
  version: string,
  resource: string,
  kind: string,
  parts: Partial<DiscoveredType> = {},
): DiscoveredType {
  return {
    group,
    version,
    resource,
    kind,
    namespaced: true,
    verbs: ['create', 'delete', 'get', 'list'],
    shortNames: [],
    singular: kind.toLowerCase(),
    categories: [],
    subresources: [],
    preferred: true,
    ...parts,
  };
}

/** The type of a resource of {@link knownTypes}: `deployments.apps`, `pods`. */
export function typeOf(groupResource: string): DiscoveredType {
  const found = knownTypes.find(
    ({ group, resource }) => groupResource === (group === '' ? resource : `${resource}.${group}`),
  );
  if (found === undefined) throw new Error(`the cluster of these tests does not serve ${groupResource}`);
  return found;
}

export function aLiveNamespace(
  name: string,
  labels: Record<string, string> = {},
  phase: 'Active' | 'Terminating' = 'Active',
): Namespace {
  return { apiVersion: 'v1', kind: 'Namespace', metadata: { name, labels }, status: { phase } };
}

/** `shop`, `shop-test`, `bank` and `kube-system`. */
export const knownNamespaces: readonly Namespace[] = [
  aLiveNamespace('shop', { team: 'web', env: 'prod' }),
  aLiveNamespace('shop-test', { team: 'web', env: 'test' }),
  aLiveNamespace('bank', { team: 'money', env: 'prod' }),
  aLiveNamespace('kube-system'),
];
