import type { ResourceType } from '@lateen/kube';
import { longhornGroup } from '@lateen/storage-types';
import { type ObjectStore, typeKeyOf } from './store.ts';

/** Properties of a kind in the API server beyond its name. */
export interface KindFacts {
  /** It has a status subresource: writes to the object ignore `status`, and writes to the status ignore the rest. */
  statusSubresource: boolean;
  /** metadata.generation is maintained. */
  generation: boolean;
  /** A PUT without resourceVersion overwrites. */
  unconditionalUpdate: boolean;
  /** RBAC names are path segments: upper case and colons are allowed. */
  anyName: boolean;
  /** Defined by a CustomResourceDefinition: no strategic merge patch. */
  custom: boolean;
}

export const builtInGroups = new Set([
  '',
  'admissionregistration.k8s.io',
  'apiextensions.k8s.io',
  'apiregistration.k8s.io',
  'apps',
  'authentication.k8s.io',
  'authorization.k8s.io',
  'autoscaling',
  'batch',
  'certificates.k8s.io',
  'coordination.k8s.io',
  'discovery.k8s.io',
  'events.k8s.io',
  'flowcontrol.apiserver.k8s.io',
  'networking.k8s.io',
  'node.k8s.io',
  'policy',
  'rbac.authorization.k8s.io',
  'resource.k8s.io',
  'scheduling.k8s.io',
  'storage.k8s.io',
]);

const withStatus = new Set([
  '/Namespace',
  '/Node',
  '/PersistentVolume',
  '/PersistentVolumeClaim',
  '/Pod',
  '/ReplicationController',
  '/ResourceQuota',
  '/Service',
  'apiextensions.k8s.io/CustomResourceDefinition',
  'apiregistration.k8s.io/APIService',
  'apps/DaemonSet',
  'apps/Deployment',
  'apps/ReplicaSet',
  'apps/StatefulSet',
  'autoscaling/HorizontalPodAutoscaler',
  'batch/CronJob',
  'batch/Job',
  'certificates.k8s.io/CertificateSigningRequest',
  'flowcontrol.apiserver.k8s.io/FlowSchema',
  'flowcontrol.apiserver.k8s.io/PriorityLevelConfiguration',
  'groupsnapshot.storage.k8s.io/VolumeGroupSnapshot',
  'groupsnapshot.storage.k8s.io/VolumeGroupSnapshotContent',
  'networking.k8s.io/Ingress',
  'policy/PodDisruptionBudget',
  'snapshot.storage.k8s.io/VolumeSnapshot',
  'snapshot.storage.k8s.io/VolumeSnapshotContent',
]);

/** Built-in kinds with generations (custom kinds always have them). */
const withGeneration = new Set([
  '/Pod',
  '/ReplicationController',
  'apiextensions.k8s.io/CustomResourceDefinition',
  'apps/DaemonSet',
  'apps/Deployment',
  'apps/ReplicaSet',
  'apps/StatefulSet',
  'batch/CronJob',
  'batch/Job',
  'networking.k8s.io/Ingress',
  'networking.k8s.io/NetworkPolicy',
  'policy/PodDisruptionBudget',
]);

const needVersion = new Set(['coordination.k8s.io/Lease']);

const definitionKey = 'apiextensions.k8s.io/CustomResourceDefinition';

/**
 * Velero's own kinds have no status subresource (reference/crds: `subresources: {}`), all kinds of longhorn.io have one, even if a test has
 * not created their definitions.
 */
export function kindFacts(store: ObjectStore, type: ResourceType): KindFacts {
  const typeKey = typeKeyOf(type);
  const custom = !builtInGroups.has(type.group);
  return {
    statusSubresource:
      withStatus.has(typeKey) || type.group === longhornGroup || (custom && definesStatus(store, type)),
    generation: custom || withGeneration.has(typeKey),
    unconditionalUpdate: !custom && !needVersion.has(typeKey),
    anyName: type.group === 'rbac.authorization.k8s.io',
    custom,
  };
}

interface DefinitionSpec {
  versions?: { name: string; subresources?: { status?: object } }[];
}

function definesStatus(store: ObjectStore, type: ResourceType): boolean {
  const definition = store.get(definitionKey, { name: `${type.resource}.${type.group}` });
  const spec = definition?.object.spec as DefinitionSpec | undefined;
  return spec?.versions?.some((v) => v.name === type.version && v.subresources?.status !== undefined) ?? false;
}
