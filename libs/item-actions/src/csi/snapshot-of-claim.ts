import {
  annotations,
  type Backup,
  type PersistentVolume,
  type PersistentVolumeClaim,
  perDriver,
  persistentVolumeType,
} from '@lateen/api-types';
import { readObject } from '@lateen/kube';
import { chooseClass, snapshotClassKind, type TakenSnapshot, takeSnapshot } from '@lateen/volume-snapshots';
import type { ActionContext } from '../contract/action-context.ts';
import { groupOf } from '../group-label.ts';
import { labelsOf } from './backup-labels.ts';
import type { ClaimStorage } from './claim-storage.ts';
import type { CsiRun } from './csi-run.ts';
import type { GroupSnapshots } from './group/group-snapshots.ts';

/**
 * The volume that the claim is bound to; undefined while it is not bound, and, with a warning, when that volume does not exist
 * any more.
 */
export async function volumeOf(
  claim: PersistentVolumeClaim,
  { kube, log }: Pick<ActionContext, 'kube' | 'log'>,
  signal: AbortSignal,
): Promise<PersistentVolume | undefined> {
  const { volumeName = '' } = claim.spec;
  if (volumeName === '' || claim.status?.phase === 'Pending') return undefined;
  const volume = await readObject(kube, persistentVolumeType, { name: volumeName }, signal);
  if (volume !== undefined) return volume;
  const { namespace, name } = claim.metadata;
  const fields = { resource: 'persistentvolumeclaims', namespace, name, volume: volumeName };
  log.warn(fields, 'the PersistentVolume of a claim does not exist: the claim has no data to back up');
  return undefined;
}

/** The claim's annotation takes precedence over the volume policy, and the policy over the annotation of the backup. */
export function namedClass(
  { metadata }: PersistentVolumeClaim,
  backup: Backup,
  driver: string,
  byPolicy: string | undefined,
): string | undefined {
  return (
    metadata.annotations?.[annotations.csiVolumeSnapshotClass] ??
    byPolicy ??
    backup.metadata.annotations?.[perDriver(annotations.csiVolumeSnapshotClass, driver)]
  );
}

/**
 * A snapshot of the claim alone, or its part of the group's snapshot.
 * @throws AppError SNAPSHOT_CLASS_…, SNAPSHOT_FAILED, SNAPSHOT_TIMEOUT, GROUP_SNAPSHOT_…; the signal's reason. Then nothing is
 * left behind.
 */
export async function snapshotOfClaim(
  { claim, driver }: ClaimStorage,
  byPolicy: string | undefined,
  { context, run, groups }: { context: ActionContext; run: CsiRun; groups: GroupSnapshots },
  signal: AbortSignal,
): Promise<TakenSnapshot> {
  const { backup } = context;
  const group = groupOf(claim, backup);
  if (group !== undefined) return await groups.snapshotOf(claim, group, signal);
  const named = namedClass(claim, backup, driver, byPolicy);
  const chosen = chooseClass(snapshotClassKind, driver, await run.snapshotClasses(signal), named);
  return await takeSnapshot(
    { claim, snapshotClass: chosen.metadata.name ?? '', labels: labelsOf(backup), timeoutMs: run.timeoutMs },
    { ...context, sight: run.sight },
    signal,
  );
}
