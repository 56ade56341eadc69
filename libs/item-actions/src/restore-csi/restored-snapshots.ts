import {
  annotations,
  getValidName,
  labels,
  type PersistentVolumeClaim,
  persistentVolumeClaimType,
  type Restore,
  type VolumeSnapshot,
  volumeSnapshotContentType,
  volumeSnapshotType,
} from '@lateen/api-types';
import { eachAtOnce } from '@lateen/kernel';
import { keyOf, listAll, listIfServed, readObject } from '@lateen/kube';
import type { WaitGonePorts } from '@lateen/kube-runtime';
import { retireSnapshot } from '@lateen/volume-snapshots';

/** Only the snapshot controller and the snapshotter are involved in the deletion, not the storage. */
const goneTimeoutMs = 120_000;
const atOnceMax = 16;

/**
 * Label with the restore's UID on a VolumeSnapshot that exists only for a claim; VolumeSnapshots of users do not have it, and
 * stay.
 */
export const forClaimOf = ({ metadata }: Restore): Record<string, string> => ({
  [annotations.restoredForClaim]: metadata.uid ?? '',
});

const isForClaim = ({ metadata }: VolumeSnapshot, restore: Restore): boolean =>
  metadata.annotations?.[annotations.restoredForClaim] === restore.metadata.uid;

/** Deletes the VolumeSnapshot from which the claim was restored, with its content; the snapshot itself stays on the storage. */
export async function retireRestoredSnapshot(
  ports: WaitGonePorts,
  restore: Restore,
  { metadata, spec }: PersistentVolumeClaim,
  signal: AbortSignal,
): Promise<void> {
  if (spec.dataSource?.kind !== volumeSnapshotType.kind) return;
  const key = { namespace: metadata.namespace ?? '', name: spec.dataSource.name };
  const snapshot = await readObject(ports.kube, volumeSnapshotType, key, signal);
  if (snapshot !== undefined && isForClaim(snapshot, restore)) await retire(ports, snapshot, signal);
}

/** Does the same for all VolumeSnapshots that the restore created for claims which do not exist. */
export async function retireUnusedSnapshots(
  ports: WaitGonePorts,
  restore: Restore,
  signal: AbortSignal,
): Promise<void> {
  const labelSelector = `${labels.restoreName}=${getValidName(restore.metadata.name ?? '')}`;
  const snapshots = (await listIfServed(ports.kube, volumeSnapshotType, { labelSelector, signal })).filter((each) =>
    isForClaim(each, restore),
  );
  const namespaces = new Set(snapshots.map(({ metadata }) => metadata.namespace ?? ''));
  const used = new Set<string>();
  for (const namespace of namespaces)
    await listAll(ports.kube, persistentVolumeClaimType, { namespace, signal }, (claim) => {
      used.add(`${namespace}/${claim.spec.dataSource?.name ?? ''}`);
      return claim;
    });
  const unused = snapshots.filter(({ metadata }) => !used.has(`${metadata.namespace}/${metadata.name}`));
  await eachAtOnce(unused, atOnceMax, (snapshot) => retire(ports, snapshot, signal));
}

async function retire(ports: WaitGonePorts, snapshot: VolumeSnapshot, signal: AbortSignal): Promise<void> {
  const name = snapshot.spec.source.volumeSnapshotContentName ?? '';
  const content = await readObject(ports.kube, volumeSnapshotContentType, { name }, signal);
  const isItsOwn = content?.spec.volumeSnapshotRef.name === keyOf(snapshot).name;
  const pair = { snapshot, content: isItsOwn ? content : undefined };
  await retireSnapshot(ports, pair, { timeoutMs: goneTimeoutMs, signal });
}
