import { annotations, type PersistentVolumeClaim } from '@lateen/api-types';
import { type ExposeOwner, ownerReferenceTo } from '../owner.ts';

/** Written by the volume binder about the target; they would make the binder misread the copy. */
const binderAnnotations: readonly string[] = [
  annotations.bindCompleted,
  annotations.boundByController,
  annotations.selectedNode,
  'volume.kubernetes.io/storage-provisioner',
  'volume.beta.kubernetes.io/storage-provisioner',
  'kubectl.kubernetes.io/last-applied-configuration',
];

/**
 * The claim that the data is restored into; its volume is handed to the target claim afterwards. Like the target, but
 * without its selector, which exists to keep every other volume away (data-movement.md section 5). With a selected node
 * the annotations are only that one: the volume is then made where the consumer will run.
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
      // The binder gives a claim no volume of another such class.
      ...(volumeAttributesClassName === undefined ? {} : { volumeAttributesClassName }),
      ...(volumeMode === undefined ? {} : { volumeMode }),
    },
  };
}
