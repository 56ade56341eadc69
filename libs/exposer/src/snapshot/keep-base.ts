import {
  labels,
  type PersistentVolumeClaim,
  persistentVolumeClaimType,
  persistentVolumeType,
  type VolumeSnapshotContent,
  volumeSnapshotType,
} from '@lateen/api-types';
import { baseNotes, type NotedBase, readBase, spentBases } from '@lateen/changed-blocks/base';
import { deleteIfThere, type KubeApi, keyOf, listAll, readObject } from '@lateen/kube';
import { handleOf } from '@lateen/volume-snapshots';
import { belongsTo } from '../api/owned-object.ts';
import type { ExposerPorts } from '../exposer-ports.ts';
import { type ExposeOwner, ownerReferenceTo } from '../owner.ts';
import { readTakenOverFrom } from '../specs/taken-over-from.ts';
import type { KeptUpload } from './snapshot-expose-param.ts';

/**
 * Makes the snapshot that was taken over the base of the claim's next upload, and deletes the previous base (docs/adr/0081). Safe
 * to repeat. @returns false when the snapshot cannot be a base, because a fact that a comparison needs is not known: the caller
 * then deletes it.
 */
export async function keepAsBase(
  { kube, clock, log }: ExposerPorts,
  owner: ExposeOwner,
  kept: { ours: VolumeSnapshotContent | undefined; claim: { namespace: string; name: string }; upload: KeptUpload },
  signal: AbortSignal,
): Promise<boolean> {
  const { namespace, name } = owner;
  const snapshot = await readObject(kube, volumeSnapshotType, { namespace, name }, signal);
  const noted = await notesOf(kube, kept, signal);
  if (snapshot === undefined || !belongsTo(snapshot, owner) || noted === undefined) {
    log.info({ namespace, name }, 'the snapshot is not kept for the next upload: its source is not known');
    return false;
  }
  const { resourceVersion } = snapshot.metadata;
  const metadata = { resourceVersion, ...baseNotes(noted), ownerReferences: [ownerReferenceTo(owner)] };
  await kube.patch(volumeSnapshotType, keyOf(snapshot), { type: 'merge', body: { metadata } }, { signal });
  await deleteOlder(kube, { namespace, claimUid: noted.claim.uid, nowMs: clock.now() }, signal);
  return true;
}

/** Nothing is recorded for a claim that has another volume by now. */
async function notesOf(
  kube: KubeApi,
  { ours, claim: key, upload }: Parameters<typeof keepAsBase>[2],
  signal: AbortSignal,
): Promise<NotedBase | undefined> {
  if (ours === undefined) return undefined;
  const claim = await readObject(kube, persistentVolumeClaimType, key, signal);
  const volumeHandle = await volumeHandleOf(kube, claim, ours.spec.driver, signal);
  const [snapshotHandle, uid] = [handleOf(ours), claim?.metadata.uid];
  if (snapshotHandle === undefined || uid === undefined || volumeHandle === undefined) return undefined;
  if (volumeHandle !== readTakenOverFrom(ours)?.volumeHandle) return undefined;
  return { claim: { ...key, uid }, driver: ours.spec.driver, volumeHandle, snapshotHandle, ...upload };
}

async function volumeHandleOf(
  kube: KubeApi,
  claim: PersistentVolumeClaim | undefined,
  driver: string,
  signal: AbortSignal,
): Promise<string | undefined> {
  const name = claim?.spec.volumeName ?? '';
  const volume = await readObject(kube, persistentVolumeType, { name }, signal);
  const csi = volume?.spec.csi;
  return csi?.driver === driver ? csi.volumeHandle : undefined;
}

/** The controller handles those that stay (libs/retention). */
async function deleteOlder(
  kube: KubeApi,
  { namespace, claimUid, nowMs }: { namespace: string; claimUid: string; nowMs: number },
  signal: AbortSignal,
): Promise<void> {
  const labelSelector = `${labels.baseOf}=${claimUid}`;
  const { items } = await listAll(kube, volumeSnapshotType, { namespace, labelSelector, signal });
  const bases = items.flatMap((snapshot) => readBase(snapshot) ?? []);
  for (const { base } of spentBases({ bases, claimUid: () => claimUid, nowMs })) {
    const snapshot = items.find(({ metadata }) => metadata.uid === base.uid);
    if (snapshot !== undefined) await deleteIfThere(kube, volumeSnapshotType, snapshot, signal);
  }
}
