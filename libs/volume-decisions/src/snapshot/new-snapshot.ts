import { ownerReferenceTo } from '@lateen/kube';
import { longhornGroup, longhornVersion, type Snapshot, storageLabels, type Volume } from '@lateen/storage-types';

/** The object that requests a snapshot of a volume; it is deleted with its volume. */
export function newSnapshot(
  volume: Volume,
  { name, labels }: { readonly name: string; readonly labels: Readonly<Record<string, string>> },
): Snapshot {
  const { name: volumeName = '', namespace } = volume.metadata;
  return {
    apiVersion: `${longhornGroup}/${longhornVersion}`,
    kind: 'Snapshot',
    metadata: {
      name,
      ...(namespace === undefined ? {} : { namespace }),
      labels: { [storageLabels.volume]: volumeName },
      ownerReferences: [ownerReferenceTo(volume)],
    },
    spec: { volume: volumeName, createSnapshot: true, labels: { ...labels } },
  };
}
