import { annotations, type PersistentVolumeClaim } from '@lateen/api-types';
import { type ExposeOwner, ownerReferenceTo } from '../owner.ts';

/** Annotations of the volume binder about the target; on the copy, they would mislead the binder. */
const binderAnnotations: readonly string[] = [
  annotations.bindCompleted,
  annotations.boundByController,
  annotations.selectedNode,
  'volume.kubernetes.io/storage-provisioner',
  'volume.beta.kubernetes.io/storage-provisioner',
  'kubectl.kubernetes.io/last-applied-configuration',
];

/**
 * The claim into which the data is restored; its volume is handed to the target claim afterwards. It equals the target, without
 * the target's selector, which keeps every other volume away (data-movement.md section 5). With a selected node, that is its only
 * annotation: the volume is then made where the consumer will run.
 */
export function restoreVolumeClaim(
  owner: ExposeOwner,
  target: PersistentVolumeClaim,
  selectedNode: string | undefined,
): PersistentVolumeClaim {
  const { accessModes, resources, storageClassName, volumeAttributesClassName, volumeMode } = target.spec;
  const kept = Object.entries(target.metadata.annotations ?? {}).filter(([key]) => !binderAnnotations.includes(key));
  return {
    apiVersion: 'v1',
    kind: 'PersistentVolumeClaim',
    metadata: {
      name: owner.name,
      namespace: owner.namespace,
      ...(target.metadata.labels === undefined ? {} : { labels: { ...target.metadata.labels } }),
      annotations: selectedNode === undefined ? Object.fromEntries(kept) : { [annotations.selectedNode]: selectedNode },
      ownerReferences: [ownerReferenceTo(owner)],
    },
    spec: {
      ...(accessModes === undefined ? {} : { accessModes }),
      ...(resources === undefined ? {} : { resources }),
      ...(storageClassName === undefined ? {} : { storageClassName }),
      // The binder gives a claim no volume of another VolumeAttributesClass.
      ...(volumeAttributesClassName === undefined ? {} : { volumeAttributesClassName }),
      ...(volumeMode === undefined ? {} : { volumeMode }),
    },
  };
}
