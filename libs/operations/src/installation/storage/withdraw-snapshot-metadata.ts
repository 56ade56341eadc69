import { deploymentType, snapshotMetadataServiceTypes } from '@lateen/api-types';
import {
  deleteIfThere,
  type KubeApi,
  type KubeObject,
  type ObjectKey,
  type ResourceType,
  readObject,
} from '@lateen/kube';

/** The parts of deploy/ that have a driver of ours, and what their earlier installation with changed blocks has left beside them. */
const left: Readonly<Record<string, readonly [types: readonly ResourceType<KubeObject>[], key: ObjectKey][]>> = {
  csi: [
    [snapshotMetadataServiceTypes, { name: 'csi.lateen.dev' }],
    [[deploymentType as ResourceType<KubeObject>], { namespace: 'lateen-csi', name: 'lateen-csi-metadata' }],
  ],
  'volume-manager': [[snapshotMetadataServiceTypes, { name: 'driver.longhorn.io' }]],
};

/**
 * Withdraws the announcement of an installation with changed blocks: backup programs would call a service that does not answer any more. Service and rights stay: they
 * are unused. Safe to repeat.
 */
export async function withdrawSnapshotMetadata(
  kube: KubeApi,
  parts: readonly string[],
  signal: AbortSignal,
): Promise<void> {
  for (const [types, key] of parts.flatMap((part) => left[part] ?? []))
    for (const type of types) {
      const found = await readObject(kube, type, key, signal);
      if (found !== undefined) await deleteIfThere(kube, type, found, signal);
    }
}
