import * as apiTypes from '@lateen/api-types';
import type { DiscoveredType, KubeObject, ResourceType, Unstructured } from '@lateen/kube';

const rbac = { group: 'rbac.authorization.k8s.io', version: 'v1' } as const;

/** Kinds that api-types does not name but tests and real clusters have. */
const others: readonly ResourceType[] = [
  { ...rbac, resource: 'clusterroles', kind: 'ClusterRole', namespaced: false },
  { ...rbac, resource: 'clusterrolebindings', kind: 'ClusterRoleBinding', namespaced: false },
  { ...rbac, resource: 'roles', kind: 'Role', namespaced: true },
  { ...rbac, resource: 'rolebindings', kind: 'RoleBinding', namespaced: true },
  {
    group: 'authorization.k8s.io',
    version: 'v1',
    resource: 'subjectaccessreviews',
    kind: 'SubjectAccessReview',
    namespaced: false,
  },
];

/** Of every kind here. */
export const verbs = ['create', 'delete', 'deletecollection', 'get', 'list', 'patch', 'update', 'watch'] as const;

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

/** What a cluster tells of its objects. */
interface Holdings {
  all<T extends KubeObject>(type: ResourceType<T>): T[];
  everything(): Unstructured[];
}

/** The kinds that a request path can name: built in, those of api-types, and what CustomResourceDefinitions add. */
export function knownTypes(cluster: Pick<Holdings, 'all'>): ResourceType[] {
  const custom = cluster.all(definitionType).flatMap((definition) => {
    const { group, scope, names, versions } = definition.spec as DefinitionSpec;
    const namespaced = scope === 'Namespaced';
    return versions
      .filter((version) => version.served !== false)
      .map((version) => ({ group, version: version.name, resource: names.plural, kind: names.kind, namespaced }));
  });
  return [...builtIn, ...custom];
}

/** The same, and the kinds of whatever else a test has put into the cluster; each as discovery describes it. */
export function servedTypes(cluster: Holdings): DiscoveredType[] {
  const known = knownTypes(cluster);
  const keys = new Set(known.map(({ group, kind }) => `${group}/${kind}`));
  const others = cluster.everything().flatMap(({ apiVersion, kind, metadata }) => {
    const [version = '', group = ''] = apiVersion.split('/').toReversed();
    if (keys.has(`${group}/${kind}`)) return [];
    keys.add(`${group}/${kind}`);
    return [{ group, version, kind, resource: pluralOf(kind), namespaced: metadata.namespace !== undefined }];
  });
  const rest = { verbs, shortNames: [], categories: [], subresources: [], preferred: true };
  return [...known, ...others].map((type) => ({ ...type, ...rest, singular: type.kind.toLowerCase() }));
}

/** As the API server would name nearly every kind. */
const pluralOf = (kind: string): string =>
  `${kind.toLowerCase()}${kind.endsWith('s') ? 'es' : 's'}`.replace(/ys$/, 'ies');

function isResourceType(value: unknown): value is ResourceType {
  return typeof value === 'object' && value !== null && 'resource' in value && 'kind' in value && 'namespaced' in value;
}
