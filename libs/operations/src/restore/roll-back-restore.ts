import {
  annotations,
  type PersistentVolumeClaim,
  persistentVolumeClaimType,
  type Restore,
  snapshotGroup,
  type VolumeSnapshot,
  volumeSnapshotType,
} from '@lateen/api-types';
import { AppError } from '@lateen/errors';
import { oldDataOf, scaleUp, usersOf } from '@lateen/item-actions';
import { deleteIfThere, keyOf, keyText, listIfServed, readObject } from '@lateen/kube';
import { waitGone } from '@lateen/kube-runtime';
import type { VolumePorts } from '../volume/volume-ports.ts';
import { restoreHasEnded } from './restore-noun.ts';

/** How long to wait until a claim is gone; a volume that no pod uses is gone when its driver has deleted it. */
const goneTimeoutMs = 600_000;

/** What a rollback does with one claim; reported before it is done. */
export type RollBackStep =
  | { kind: 'replacing'; claim: string; snapshot: string }
  /** An earlier rollback has already replaced the claim. */
  | { kind: 'replaced'; claim: string; snapshot: string };

interface Kept {
  snapshot: VolumeSnapshot;
  /** The claim as it was before the restore. */
  claim: PersistentVolumeClaim;
  key: { namespace: string; name: string };
}

/**
 * Brings back the data that volumes had before the restore wrote into them: each claim is created again from the snapshot that was taken
 * then, and workloads that the restore has scaled down are scaled up. It checks all claims before it changes any. Safe to repeat, also
 * after a crash in the middle: the snapshot has everything that is needed to create the claim.
 * @throws AppError RESTORE_RUNS, NOTHING_TO_ROLL_BACK, CLAIM_IN_USE, SNAPSHOT_NOT_READY: nothing was changed; STILL_THERE
 */
export async function rollBackRestore(
  ports: VolumePorts,
  restore: Restore,
  onStep: (step: RollBackStep) => void,
  signal: AbortSignal,
): Promise<void> {
  if (!restoreHasEnded(restore))
    throw new AppError('RESTORE_RUNS', `restore ${restore.metadata.name} has not ended`, {
      nextStep: `Wait for it, or cancel it first: lateen restore cancel ${restore.metadata.name}`,
    });
  const kept = await oldData(ports, restore, signal);
  for (const each of kept) await mustBeReplaceable(ports, each, signal);
  for (const each of kept) await replaceClaim(ports, each, onStep, signal);
  for (const namespace of new Set(kept.map(({ key }) => key.namespace)))
    await scaleUp(ports.kube, restore, namespace, signal);
}

/** @throws AppError NOTHING_TO_ROLL_BACK */
async function oldData({ kube }: VolumePorts, restore: Restore, signal: AbortSignal): Promise<Kept[]> {
  const kept = (await listIfServed(kube, volumeSnapshotType, { labelSelector: oldDataOf(restore), signal })).flatMap(
    (snapshot) => {
      const text = snapshot.metadata.annotations?.[annotations.oldClaim];
      if (text === undefined) return [];
      const claim = JSON.parse(text) as PersistentVolumeClaim;
      return [
        { snapshot, claim, key: { namespace: snapshot.metadata.namespace ?? '', name: claim.metadata.name ?? '' } },
      ];
    },
  );
  if (kept.length > 0) return kept;
  throw new AppError(
    'NOTHING_TO_ROLL_BACK',
    `restore ${restore.metadata.name} wrote into no volume whose old data it kept`,
    {
      nextStep:
        'Only volumes that it wrote into because of existingVolumeDataPolicy can be rolled back, while the Restore exists.',
    },
  );
}

const isOf = (claim: PersistentVolumeClaim | undefined, { metadata }: VolumeSnapshot): boolean =>
  claim?.spec.dataSource?.name === metadata.name;

/** Deleting the claim deletes its data, so the snapshot has to be ready and no pod may use the claim. */
async function mustBeReplaceable({ kube }: VolumePorts, { snapshot, key }: Kept, signal: AbortSignal): Promise<void> {
  const present = await readObject(kube, persistentVolumeClaimType, key, signal);
  if (isOf(present, snapshot)) return;
  if (snapshot.status?.readyToUse !== true || snapshot.metadata.deletionTimestamp !== undefined)
    throw new AppError('SNAPSHOT_NOT_READY', `VolumeSnapshot ${keyText(keyOf(snapshot))} is not ready to be used`, {
      retry: 'later',
      nextStep: 'Wait until it is, or see in its status what is wrong.',
    });
  const [user] = await usersOf(kube, key, signal);
  if (user === undefined) return;
  throw new AppError('CLAIM_IN_USE', `PVC ${keyText(key)} is used by pod ${user.metadata.name}`, {
    nextStep: 'Stop the workload, and roll back again.',
  });
}

async function replaceClaim(
  ports: VolumePorts,
  { snapshot, claim, key }: Kept,
  onStep: (step: RollBackStep) => void,
  signal: AbortSignal,
): Promise<void> {
  const { kube } = ports;
  const step = { claim: keyText(key), snapshot: snapshot.metadata.name ?? '' };
  const present = await readObject(kube, persistentVolumeClaimType, key, signal);
  if (isOf(present, snapshot)) return onStep({ kind: 'replaced', ...step });
  onStep({ kind: 'replacing', ...step });
  if (present !== undefined) {
    await deleteIfThere(kube, persistentVolumeClaimType, present, signal);
    await waitGone(ports, persistentVolumeClaimType, present, { timeoutMs: goneTimeoutMs, signal });
  }
  const source = { apiGroup: snapshotGroup, kind: 'VolumeSnapshot', name: step.snapshot };
  const made = { ...claim, spec: { ...claim.spec, dataSource: source, dataSourceRef: source } };
  await kube.create(persistentVolumeClaimType, made, { signal });
}
