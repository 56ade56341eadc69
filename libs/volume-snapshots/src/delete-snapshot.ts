import { type VolumeSnapshot, volumeSnapshotType } from '@lateen/api-types';
import { AppError, describeError } from '@lateen/errors';
import { deleteIfThere, type KubeApi, keyOf, keyText } from '@lateen/kube';

/**
 * Deletes a snapshot that nothing will use; what is on the storage goes by its class. Takes no signal: it is called when
 * others have aborted.
 * @throws AppError SNAPSHOT_LEFT_BEHIND naming it, so that a person can delete it
 */
export async function deleteSnapshot(kube: KubeApi, snapshot: VolumeSnapshot): Promise<void> {
  try {
    await deleteIfThere(kube, volumeSnapshotType, snapshot);
  } catch (error) {
    const key = keyOf(snapshot);
    throw new AppError(
      'SNAPSHOT_LEFT_BEHIND',
      `VolumeSnapshot ${keyText(key)} could not be deleted: ${describeError(error)}`,
      { cause: error, nextStep: `Delete it with: kubectl delete volumesnapshot -n ${key.namespace} ${key.name}` },
    );
  }
}
