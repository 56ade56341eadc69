import { backupStorageLocationType, type ResourceType, volumeSnapshotLocationType } from '@lateen/api-types';
import { AppError } from '@lateen/errors';
import { apiVersionOf, type KubeObject, keyOf, keyText, type Unstructured } from '@lateen/kube';

interface ManifestKind {
  type: ResourceType<Unstructured>;
  /** Kinds of a lower stage are applied first. */
  stage: number;
}

/** What must be there before what: a definition before its objects, a namespace before what lies in it. */
const stages = { definitions: 0, namespaces: 1, rights: 2, settings: 3, workloads: 4 } as const;

const kinds: readonly ManifestKind[] = [
  cluster(stages.definitions, 'apiextensions.k8s.io', 'v1', 'CustomResourceDefinition', 'customresourcedefinitions'),
  cluster(stages.namespaces, '', 'v1', 'Namespace', 'namespaces'),
  namespaced(stages.rights, '', 'v1', 'ServiceAccount', 'serviceaccounts'),
  namespaced(stages.rights, 'rbac.authorization.k8s.io', 'v1', 'Role', 'roles'),
  namespaced(stages.rights, 'rbac.authorization.k8s.io', 'v1', 'RoleBinding', 'rolebindings'),
  cluster(stages.rights, 'rbac.authorization.k8s.io', 'v1', 'ClusterRole', 'clusterroles'),
  cluster(stages.rights, 'rbac.authorization.k8s.io', 'v1', 'ClusterRoleBinding', 'clusterrolebindings'),
  namespaced(stages.settings, '', 'v1', 'ConfigMap', 'configmaps'),
  namespaced(stages.settings, '', 'v1', 'Secret', 'secrets'),
  namespaced(stages.settings, '', 'v1', 'Service', 'services'),
  namespaced(stages.settings, 'networking.k8s.io', 'v1', 'NetworkPolicy', 'networkpolicies'),
  cluster(stages.settings, 'scheduling.k8s.io', 'v1', 'PriorityClass', 'priorityclasses'),
  cluster(stages.settings, 'storage.k8s.io', 'v1', 'CSIDriver', 'csidrivers'),
  cluster(stages.settings, 'storage.k8s.io', 'v1', 'StorageClass', 'storageclasses'),
  cluster(stages.settings, 'snapshot.storage.k8s.io', 'v1', 'VolumeSnapshotClass', 'volumesnapshotclasses'),
  { stage: stages.settings, type: backupStorageLocationType as ResourceType<never> },
  { stage: stages.settings, type: volumeSnapshotLocationType as ResourceType<never> },
  namespaced(stages.workloads, 'apps', 'v1', 'Deployment', 'deployments'),
  namespaced(stages.workloads, 'apps', 'v1', 'DaemonSet', 'daemonsets'),
];

function cluster(stage: number, group: string, version: string, kind: string, resource: string): ManifestKind {
  return { stage, type: { group, version, kind, resource, namespaced: false } };
}

function namespaced(stage: number, group: string, version: string, kind: string, resource: string): ManifestKind {
  return { stage, type: { group, version, kind, resource, namespaced: true } };
}

/** Where the object's kind lives; a table and not discovery, for we know what we ship. @throws DEPLOY_KIND_UNKNOWN */
export const typeOf = (object: KubeObject): ResourceType<Unstructured> => kindOf(object).type;

/** The objects, stable within a stage, in an order in which each finds what it needs. @throws DEPLOY_KIND_UNKNOWN */
export function inApplyOrder(objects: readonly Unstructured[]): Unstructured[] {
  return [...objects].sort((a, b) => kindOf(a).stage - kindOf(b).stage);
}

/** `Deployment velero/lateen-controller` */
export const titleOf = (object: KubeObject): string => `${object.kind} ${keyText(keyOf(object))}`;

export const isDefinition = (object: KubeObject): boolean => kindOf(object).stage === stages.definitions;

function kindOf(object: KubeObject): ManifestKind {
  const found = kinds.find(({ type }) => type.kind === object.kind && apiVersionOf(type) === object.apiVersion);
  if (found !== undefined) return found;
  throw new AppError('DEPLOY_KIND_UNKNOWN', `${object.apiVersion} ${object.kind} is not a kind of our manifests`, {
    nextStep: 'Add it to the table in libs/manifests/src/apply/manifest-kinds.ts.',
  });
}
