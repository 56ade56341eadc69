import {
  configMapType,
  persistentVolumeClaimType,
  persistentVolumeType,
  priorityClassType,
  type ResourceType,
  secretType,
  serviceAccountType,
  storageClassType,
  volumeSnapshotClassType,
  volumeSnapshotContentType,
  volumeSnapshotType,
} from '@lateen/api-types';
import { type FieldPath, fieldPath } from './values-at.ts';

/** What an object may name. */
export type NeededType = Pick<ResourceType, 'group' | 'resource' | 'namespaced'>;

/** A field that names other objects: by their name alone, or as a reference with `name`, `namespace` and `kind`. */
export interface Need {
  at: FieldPath;
  /** By the `kind` of a reference where the field may name several. */
  of: NeededType | Readonly<Record<string, NeededType>>;
}

const service: NeededType = { group: '', resource: 'services', namespaced: true };
const rbac = (resource: string, namespaced: boolean): NeededType => ({
  group: 'rbac.authorization.k8s.io',
  resource,
  namespaced,
});
const role = rbac('roles', true);
const clusterRole = rbac('clusterroles', false);
const runtimeClass: NeededType = { group: 'node.k8s.io', resource: 'runtimeclasses', namespaced: false };
const resourceClaim: NeededType = { group: 'resource.k8s.io', resource: 'resourceclaims', namespaced: true };
const attributesClass: NeededType = { group: 'storage.k8s.io', resource: 'volumeattributesclasses', namespaced: false };
const admissionPolicy = (resource: string): NeededType => ({
  group: 'admissionregistration.k8s.io',
  resource,
  namespaced: false,
});

const need = (at: string, of: Need['of']): Need => ({ at: fieldPath(at), of });

/** The kubelet starts no container, and admission takes no pod, before these are there. */
function ofPodSpec(spec: string): Need[] {
  const containers = ['containers', 'initContainers', 'ephemeralContainers'].map((list) => `${spec}.${list}.*`);
  return [
    need(`${spec}.serviceAccountName`, serviceAccountType),
    need(`${spec}.priorityClassName`, priorityClassType),
    need(`${spec}.runtimeClassName`, runtimeClass),
    need(`${spec}.imagePullSecrets.*.name`, secretType),
    need(`${spec}.resourceClaims.*.resourceClaimName`, resourceClaim),
    need(`${spec}.volumes.*.persistentVolumeClaim.claimName`, persistentVolumeClaimType),
    need(`${spec}.volumes.*.secret.secretName`, secretType),
    need(`${spec}.volumes.*.configMap.name`, configMapType),
    need(`${spec}.volumes.*.projected.sources.*.secret.name`, secretType),
    need(`${spec}.volumes.*.projected.sources.*.configMap.name`, configMapType),
    need(`${spec}.volumes.*.csi.nodePublishSecretRef.name`, secretType),
    ...containers.flatMap((container) => [
      need(`${container}.env.*.valueFrom.secretKeyRef.name`, secretType),
      need(`${container}.env.*.valueFrom.configMapKeyRef.name`, configMapType),
      need(`${container}.envFrom.*.secretRef.name`, secretType),
      need(`${container}.envFrom.*.configMapRef.name`, configMapType),
    ]),
  ];
}

/** Their controller makes pods at once. */
const ofTemplate = ofPodSpec('spec.template.spec');
/** A role that is not there yet cannot be bound by whoever has fewer rights than it gives. */
const ofBinding = [
  need('roleRef', { Role: role, ClusterRole: clusterRole }),
  need('subjects.*', { ServiceAccount: serviceAccountType }),
];
const dataSource = { VolumeSnapshot: volumeSnapshotType, PersistentVolumeClaim: persistentVolumeClaimType };
/** Calls fail from the moment the configuration is there until the Service is. */
const ofWebhooks = [need('webhooks.*.clientConfig.service', service)];

/** By group resource: what has to be there before an object of that kind, as far as the object itself names it. */
export const needTable: Readonly<Record<string, readonly Need[]>> = {
  pods: ofPodSpec('spec'),
  replicationcontrollers: ofTemplate,
  'replicasets.apps': ofTemplate,
  'deployments.apps': ofTemplate,
  'daemonsets.apps': ofTemplate,
  'statefulsets.apps': ofTemplate,
  'jobs.batch': ofTemplate,
  'cronjobs.batch': ofPodSpec('spec.jobTemplate.spec.template.spec'),
  persistentvolumeclaims: [
    // A claim whose volume comes later is given another.
    need('spec.volumeName', persistentVolumeType),
    need('spec.storageClassName', storageClassType),
    need('spec.volumeAttributesClassName', attributesClass),
    need('spec.dataSource', dataSource),
    need('spec.dataSourceRef', dataSource),
  ],
  persistentvolumes: [
    need('spec.storageClassName', storageClassType),
    need('spec.volumeAttributesClassName', attributesClass),
    need('spec.csi.controllerPublishSecretRef', secretType),
    need('spec.csi.nodePublishSecretRef', secretType),
    need('spec.csi.nodeStageSecretRef', secretType),
    need('spec.csi.nodeExpandSecretRef', secretType),
    need('spec.csi.controllerExpandSecretRef', secretType),
  ],
  'volumesnapshots.snapshot.storage.k8s.io': [
    need('spec.volumeSnapshotClassName', volumeSnapshotClassType),
    need('spec.source.volumeSnapshotContentName', volumeSnapshotContentType),
    need('status.boundVolumeSnapshotContentName', volumeSnapshotContentType),
  ],
  'volumesnapshotcontents.snapshot.storage.k8s.io': [need('spec.volumeSnapshotClassName', volumeSnapshotClassType)],
  // The token controller deletes a token whose account is not there.
  secrets: [{ at: ['metadata', 'annotations', 'kubernetes.io/service-account.name'], of: serviceAccountType }],
  'rolebindings.rbac.authorization.k8s.io': ofBinding,
  'clusterrolebindings.rbac.authorization.k8s.io': ofBinding,
  'validatingwebhookconfigurations.admissionregistration.k8s.io': ofWebhooks,
  'mutatingwebhookconfigurations.admissionregistration.k8s.io': ofWebhooks,
  'validatingadmissionpolicybindings.admissionregistration.k8s.io': [
    need('spec.policyName', admissionPolicy('validatingadmissionpolicies')),
  ],
  'mutatingadmissionpolicybindings.admissionregistration.k8s.io': [
    need('spec.policyName', admissionPolicy('mutatingadmissionpolicies')),
  ],
  'apiservices.apiregistration.k8s.io': [need('spec.service', service)],
};
