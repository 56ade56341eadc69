import { type VolumeSnapshotContent, volumeSnapshotContentType, volumeSnapshotType } from '@lateen/api-types';
import { type KubeApi, readObject } from '@lateen/kube';
import { cleanUpHosting } from '../api/clean-up-hosting.ts';
import { belongsTo, deleteIfThere, deleteOwned } from '../api/owned-object.ts';
import type { ExposeOptions, ExposerPorts } from '../exposer-ports.ts';
import type { ExposeOwner } from '../owner.ts';
import { takenOverFromAnnotation } from '../specs/exposed-for.ts';

/**
 * Deletes everything that {@link exposeSnapshot} made for this owner, in the order pod, claim, source
 * snapshot, snapshot, so that nothing is deleted under what still needs it. Safe to repeat and to call when nothing was made.
 * Returns when the API has accepted the deletes; the snapshot on the storage goes with our VolumeSnapshotContent.
 * On abort: stops between deletes and leaves the rest for the next call.
 */
export async function cleanUpSnapshot(
  { kube }: ExposerPorts,
  owner: ExposeOwner,
  source: { namespace: string; name: string },
  { signal }: ExposeOptions,
): Promise<void> {
  await cleanUpHosting(kube, owner, signal);
  const content = await readObject(kube, volumeSnapshotContentType, { name: owner.name }, signal);
  const ours = content !== undefined && belongsTo(content, owner) ? content : undefined;
  // Before ours, which alone knows the source's content: what is broken off here is found again by the next call.
  await cleanUpSource(kube, source, ours, signal);
  await deleteOwned(kube, volumeSnapshotType, { namespace: owner.namespace, name: owner.name }, owner, signal);
  // Goes with its VolumeSnapshot when the two were bound; by itself when we were stopped before that.
  if (ours !== undefined) await deleteIfThere(kube, volumeSnapshotContentType, ours, signal);
}

/** The source snapshot was made for this upload only; after any end it goes (data-movement.md section 4). */
async function cleanUpSource(
  kube: KubeApi,
  key: { namespace: string; name: string },
  ours: VolumeSnapshotContent | undefined,
  signal: AbortSignal,
): Promise<void> {
  const snapshot = await readObject(kube, volumeSnapshotType, key, signal);
  if (snapshot !== undefined) await deleteIfThere(kube, volumeSnapshotType, snapshot, signal);
  const contentName = ours?.metadata.annotations?.[takenOverFromAnnotation];
  if (contentName === undefined) return;
  const content = await readObject(kube, volumeSnapshotContentType, { name: contentName }, signal);
  // We told it to retain; without this it would stay behind for a snapshot that is gone.
  if (content?.spec.deletionPolicy === 'Retain') await deleteIfThere(kube, volumeSnapshotContentType, content, signal);
}
