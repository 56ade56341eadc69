import type { ResourceType } from '@lateen/kube';
import { verbs } from '../cluster/known-types.ts';

/** Aggregated discovery (apidiscovery.k8s.io/v2) for `/api` (the core group) and `/apis` (all others). */
export function discoveryAnswer(path: '/api' | '/apis', types: readonly ResourceType[]): object {
  const groups = Map.groupBy(
    types.filter((type) => (path === '/api') === (type.group === '')),
    (type) => type.group,
  );
  return {
    kind: 'APIGroupDiscoveryList',
    apiVersion: 'apidiscovery.k8s.io/v2',
    metadata: {},
    items: [...groups].map(([group, members]) => ({
      metadata: { name: group },
      versions: [...Map.groupBy(members, (type) => type.version)].map(([version, resources]) => ({
        version,
        freshness: 'Current',
        resources: resources.map((type) => ({
          resource: type.resource,
          responseKind: { group: type.group, version: type.version, kind: type.kind },
          scope: type.namespaced ? 'Namespaced' : 'Cluster',
          singularResource: type.kind.toLowerCase(),
          verbs,
        })),
      })),
    })),
  };
}
