import * as apiTypes from '@lateen/api-types';
import type { DiscoveredType, KubeObject, ResourceType, Unstructured } from '@lateen/kube';

const rbac = { group: 'rbac.authorization.k8s.io', version: 'v1' } as const;

/** Kinds that api-types does not contain but tests and real clusters have. */
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
  ...namespaced('', 'v1', ['Endpoints', 'endpoints'], 'LimitRange', 'PodTemplate', 'ReplicationController'),
  ...namespaced('', 'v1', 'ResourceQuota', 'Service'),
  ...namespaced('apps', 'v1', 'ControllerRevision', 'ReplicaSet', 'StatefulSet'),
  ...namespaced('autoscaling', 'v2', 'HorizontalPodAutoscaler'),
  ...namespaced('batch', 'v1', 'CronJob'),
  ...namespaced('discovery.k8s.io', 'v1', 'EndpointSlice'),
  ...namespaced('networking.k8s.io', 'v1', ['Ingress', 'ingresses'], ['NetworkPolicy', 'networkpolicies']),
  ...namespaced('policy', 'v1', 'PodDisruptionBudget'),
  ...clusterWide(
    'admissionregistration.k8s.io',
    'v1',
    'MutatingWebhookConfiguration',
    'ValidatingWebhookConfiguration',
  ),
  ...clusterWide('apiregistration.k8s.io', 'v1', 'APIService'),
  ...clusterWide('networking.k8s.io', 'v1', ['IngressClass', 'ingressclasses']),
  ...clusterWide('node.k8s.io', 'v1', ['RuntimeClass', 'runtimeclasses']),
  ...clusterWide('storage.k8s.io', 'v1', 'CSIDriver', 'CSINode'),
];

type Named = string | [kind: string, resource: string];

function namespaced(group: string, version: string, ...kinds: readonly Named[]): ResourceType[] {
  return kinds.map((named) => {
    const [kind, resource] = typeof named === 'string' ? [named, `${named.toLowerCase()}s`] : named;
    return { group, version, resource, kind, namespaced: true };
  });
}

function clusterWide(group: string, version: string, ...kinds: readonly Named[]): ResourceType[] {
  return namespaced(group, version, ...kinds).map((type) => ({ ...type, namespaced: false }));
}

/** Verbs of every kind here. */
export const verbs = ['create', 'delete', 'deletecollection', 'get', 'list', 'patch', 'update', 'watch'] as const;

export const definitionType: ResourceType<Unstructured> = {
  group: 'apiextensions.k8s.io',
  version: 'v1',
  resource: 'customresourcedefinitions',
  kind: 'CustomResourceDefinition',
  namespaced: false,
};

export const isEstablished = (definition: Unstructured): boolean => {
  // A new definition has `conditions: null`.
  const { conditions } = (definition.status ?? {}) as { conditions?: { type: string; status: string }[] | null };
  return conditions?.some(({ type, status }) => type === 'Established' && status === 'True') === true;
};

interface DefinitionSpec {
  group: string;
  scope: 'Namespaced' | 'Cluster';
  names: { plural: string; kind: string };
  versions: { name: string; served?: boolean }[];
}

const builtIn: readonly ResourceType[] = [...Object.values(apiTypes).filter(isResourceType), ...others, definitionType];

/** Access to the stored objects. */
interface Holdings {
  /** Serve only defined kinds. */
  readonly strict: boolean;
  all<T extends KubeObject>(type: ResourceType<T>): T[];
  everything(): Unstructured[];
}

/** The kinds that a request path can name: built-in kinds, those of api-types, and those of CustomResourceDefinitions. */
export function knownTypes(cluster: Pick<Holdings, 'all' | 'strict'>): ResourceType[] {
  const definitions = cluster.all(definitionType).filter((definition) => !cluster.strict || isEstablished(definition));
  const custom = definitions.flatMap((definition) => {
    const { group, scope, names, versions } = definition.spec as DefinitionSpec;
    const namespaced = scope === 'Namespaced';
    return versions
      .filter((version) => version.served !== false)
      .map((version) => ({ group, version: version.name, resource: names.plural, kind: names.kind, namespaced }));
  });
  return [...builtIn, ...custom];
}

/** The same, plus the kinds of all other stored objects; each in the form of discovery. */
export function servedTypes(cluster: Holdings): DiscoveredType[] {
  const known = knownTypes(cluster);
  const keys = new Set(known.map(({ group, kind }) => `${group}/${kind}`));
  const everything = cluster.strict ? [] : cluster.everything();
  const others = everything.flatMap(({ apiVersion, kind, metadata }) => {
    const [version = '', group = ''] = apiVersion.split('/').toReversed();
    if (keys.has(`${group}/${kind}`)) return [];
    keys.add(`${group}/${kind}`);
    return [{ group, version, kind, resource: pluralOf(kind), namespaced: metadata.namespace !== undefined }];
  });
  const rest = { verbs, shortNames: [], categories: [], subresources: [] };
  const all = [...known, ...others];
  const versions = Map.groupBy(all, ({ group, resource }) => `${resource}.${group}`);
  return all.map((type) => {
    const served = versions.get(`${type.resource}.${type.group}`) ?? [];
    const preferred = served.every(({ version }) => versionRank(version) <= versionRank(type.version));
    return { ...type, ...rest, preferred, singular: type.kind.toLowerCase() };
  });
}

/** The order of versions: v2, v1, v2beta1, v1alpha1. */
function versionRank(version: string): number {
  const [, major = '0', stage = '', minor = '0'] = /^v(\d+)(alpha|beta)?(\d+)?$/.exec(version) ?? [];
  return ['alpha', 'beta', ''].indexOf(stage) * 1_000_000 + Number(major) * 1_000 + Number(minor);
}

/** The plural that the API server uses for nearly every kind. */
const pluralOf = (kind: string): string =>
  `${kind.toLowerCase()}${kind.endsWith('s') ? 'es' : 's'}`.replace(/ys$/, 'ies');

function isResourceType(value: unknown): value is ResourceType {
  return typeof value === 'object' && value !== null && 'resource' in value && 'kind' in value && 'namespaced' in value;
}
