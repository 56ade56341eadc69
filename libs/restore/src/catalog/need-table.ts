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

/** A type of objects that an object may refer to. */
export type NeededType = Pick<ResourceType, 'group' | 'resource' | 'namespaced'>;

/** A field that names other objects: by name only, or as a reference with `name`, `namespace` and `kind`. */
export interface Need {
  at: FieldPath;
  /** The type, or types by the `kind` of the object reference when the field may name several. */
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

/** Without these objects the kubelet starts no container and admission accepts no pod. */
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

/** Workloads whose controller creates pods at once. */
const ofTemplate = ofPodSpec('spec.template.spec');
/** A user with fewer rights than a role gives cannot create a binding to it before the role exists. */
const ofBinding = [
  need('roleRef', { Role: role, ClusterRole: clusterRole }),
  need('subjects.*', { ServiceAccount: serviceAccountType }),
];
const dataSource = { VolumeSnapshot: volumeSnapshotType, PersistentVolumeClaim: persistentVolumeClaimType };
/** API calls fail while the webhook configuration exists and its Service does not. */
const ofWebhooks = [need('webhooks.*.clientConfig.service', service)];

/** By group resource: what has to exist before an object of that kind, as far as the object itself names it. */
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
    // When the volume came after the claim, the claim would get another one.
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
  // The token controller deletes a token whose service account does not exist.
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
