import { type VolumeSnapshotContent, volumeSnapshotContentType, volumeSnapshotType } from '@lateen/api-types';
import { type KubeApi, keyText, type ObjectKey, readObject } from '@lateen/kube';
import { hostingLeftovers } from '../api/clean-up-hosting.ts';
import { belongsTo, deleteIfThere, deleteOwned } from '../api/owned-object.ts';
import { takeAwayAll } from '../api/take-away-all.ts';
import type { ExposeOptions, ExposerPorts } from '../exposer-ports.ts';
import type { ExposeOwner } from '../owner.ts';
import { takenOverFromAnnotation } from '../specs/exposed-for.ts';

/**
 * Deletes everything that {@link exposeSnapshot} made for this owner, in the order pod, claim, source
 * snapshot, snapshot, so that nothing is deleted under what still needs it. Safe to repeat and to call when nothing was made.
 * Returns when the API has accepted the deletes; the snapshot on the storage goes with our VolumeSnapshotContent.
 * On abort: stops between deletes and leaves the rest for the next call.
 * @throws CLEAN_UP_INCOMPLETE when everything has been tried and something refuses
 */
export async function cleanUpSnapshot(
  { kube }: ExposerPorts,
  owner: ExposeOwner,
  source: ObjectKey,
  { signal }: ExposeOptions,
): Promise<void> {
  const leftovers = [
    ...hostingLeftovers(kube, owner, signal),
    { what: `VolumeSnapshot ${keyText(source)}`, takeAway: () => cleanUpSource(kube, source, signal) },
    { what: 'the snapshot that was taken over', takeAway: () => cleanUpTakenOver(kube, owner, signal) },
  ];
  await takeAwayAll(owner, leftovers, signal);
}

/** The source snapshot was made for this upload only; after any end it goes (data-movement.md section 4). */
async function cleanUpSource(kube: KubeApi, key: ObjectKey, signal: AbortSignal): Promise<void> {
  const snapshot = await readObject(kube, volumeSnapshotType, key, signal);
  if (snapshot !== undefined) await deleteIfThere(kube, volumeSnapshotType, snapshot, signal);
}

/** Ours come last: they alone know the source's content, and what is broken off here is found again by the next call. */
async function cleanUpTakenOver(kube: KubeApi, owner: ExposeOwner, signal: AbortSignal): Promise<void> {
  const content = await readObject(kube, volumeSnapshotContentType, { name: owner.name }, signal);
  const ours = content !== undefined && belongsTo(content, owner) ? content : undefined;
  if (ours !== undefined) await cleanUpSourceContent(kube, ours, signal);
  await deleteOwned(kube, volumeSnapshotType, { namespace: owner.namespace, name: owner.name }, owner, signal);
  // Goes with its VolumeSnapshot when the two were bound; by itself when we were stopped before that.
  if (ours !== undefined) await deleteIfThere(kube, volumeSnapshotContentType, ours, signal);
}

/** We told it to retain; without this it would stay behind for a snapshot that is gone. */
async function cleanUpSourceContent(kube: KubeApi, ours: VolumeSnapshotContent, signal: AbortSignal): Promise<void> {
  const name = ours.metadata.annotations?.[takenOverFromAnnotation];
  if (name === undefined) return;
  const content = await readObject(kube, volumeSnapshotContentType, { name }, signal);
  if (content?.spec.deletionPolicy === 'Retain') await deleteIfThere(kube, volumeSnapshotContentType, content, signal);
}
