import * as apiTypes from '@lateen/api-types';
import type { ResourceType, Unstructured } from '@lateen/kube';
import type { FakeCluster } from '../cluster/fake-cluster.ts';

const rbac = { group: 'rbac.authorization.k8s.io', version: 'v1' } as const;

/** Kinds that api-types does not name but tests and real clusters have. */
const others: readonly ResourceType[] = [
  { ...rbac, resource: 'clusterroles', kind: 'ClusterRole', namespaced: false },
  { ...rbac, resource: 'clusterrolebindings', kind: 'ClusterRoleBinding', namespaced: false },
  { ...rbac, resource: 'roles', kind: 'Role', namespaced: true },
  { ...rbac, resource: 'rolebindings', kind: 'RoleBinding', namespaced: true },
];

export const definitionType: ResourceType<Unstructured> = {
  group: 'apiextensions.k8s.io',
  version: 'v1',
  resource: 'customresourcedefinitions',
  kind: 'CustomResourceDefinition',
  namespaced: false,
};

interface DefinitionSpec {
  group: string;
  scope: 'Namespaced' | 'Cluster';
  names: { plural: string; kind: string };
  versions: { name: string; served?: boolean }[];
}

const builtIn: readonly ResourceType[] = [...Object.values(apiTypes).filter(isResourceType), ...others, definitionType];

/** The kinds that a request path can name: built in, those of api-types, and what CustomResourceDefinitions add. */
export function knownTypes(cluster: FakeCluster): ResourceType[] {
  const custom = cluster.all(definitionType).flatMap((definition) => {
    const { group, scope, names, versions } = definition.spec as DefinitionSpec;
    const namespaced = scope === 'Namespaced';
    return versions
      .filter((version) => version.served !== false)
      .map((version) => ({ group, version: version.name, resource: names.plural, kind: names.kind, namespaced }));
  });
  return [...builtIn, ...custom];
}

function isResourceType(value: unknown): value is ResourceType {
  return typeof value === 'object' && value !== null && 'resource' in value && 'kind' in value && 'namespaced' in value;
}
