import {
  type VolumeSnapshot,
  type VolumeSnapshotContent,
  volumeSnapshotContentType,
  volumeSnapshotType,
} from '@lateen/api-types';
import { deleteIfThere, keyOf } from '@lateen/kube';
import { type WaitGonePorts, waitGone } from '@lateen/kube-runtime';

/**
 * Takes the objects of a snapshot out of the cluster and leaves the snapshot on the storage: the content is told to retain it
 * first, so that no deletion can take the data along. Resolves when both are gone; safe to repeat with what is left.
 * @throws KUBE_CONFLICT when the content was written meanwhile; STILL_THERE after `timeoutMs` for either
 */
export async function retireSnapshot(
  ports: WaitGonePorts,
  { snapshot, content }: { snapshot: VolumeSnapshot | undefined; content: VolumeSnapshotContent | undefined },
  options: { timeoutMs: number; signal: AbortSignal },
): Promise<void> {
  const { kube } = ports;
  const { signal } = options;
  if (content !== undefined && content.spec.deletionPolicy !== 'Retain') {
    const { resourceVersion } = content.metadata;
    const body = { metadata: { resourceVersion }, spec: { deletionPolicy: 'Retain' } };
    await kube.patch(volumeSnapshotContentType, keyOf(content), { type: 'merge', body }, { signal });
  }
  if (snapshot !== undefined) {
    await deleteIfThere(kube, volumeSnapshotType, snapshot, signal);
    await waitGone(ports, volumeSnapshotType, snapshot, options);
  }
  if (content !== undefined) {
    await deleteIfThere(kube, volumeSnapshotContentType, content, signal);
    await waitGone(ports, volumeSnapshotContentType, content, options);
  }
}
