import {
  getValidName,
  isTerminalPhase,
  labels,
  type PersistentVolume,
  type PersistentVolumeClaim,
  type Pod,
  persistentVolumeClaimType,
  persistentVolumeType,
  podVolumeRestoreType,
  type Restore,
} from '@lateen/api-types';
import { AppError } from '@lateen/errors';
import { keyText, listIfServed, readObject } from '@lateen/kube';
import type { RestoreActionContext } from '../../contract/restore-item-action.ts';
import { type ExistingPolicy, existingPolicy, tellLeftAlone } from '../../restore-csi/existing/existing-policy.ts';
import { whyUnfit } from '../../restore-csi/existing/fitness.ts';
import { keepsOldData, snapshotOldData } from '../../restore-csi/existing/old-data.ts';
import { usersOf } from '../../restore-csi/existing/workloads.ts';
import { isMadeBy } from '../made-by-restore.ts';
import { failureOf } from './failure-of.ts';
import type { StoredPodVolume } from './stored-pod-volumes.ts';

/** Where the data of a pod's volume is written. */
export type VolumeTarget =
  /** Into a volume that the restore creates. */
  | 'new'
  /** Into the volume that its claim had before the restore (docs/adr/0039). */
  | Exclude<ExistingPolicy, 'none'>
  /** Nowhere: the claim keeps its data. */
  | 'none';

/**
 * Decides about each claim once, before the first pod that mounts it is created. An existing claim keeps its data unless the
 * restore says otherwise; in that case the claim is checked, and its data is snapshotted first. A failed check is an error, and
 * pods start with the existing data.
 */
export class VolumeTargets {
  readonly #decided = new WeakMap<Restore, Map<string, Promise<VolumeTarget>>>();

  /** @param pod as it is in the backup */
  async of(
    pod: Pod,
    { claim, volume }: StoredPodVolume,
    context: RestoreActionContext,
    signal: AbortSignal,
  ): Promise<VolumeTarget> {
    if (claim === undefined) return 'new';
    const decided = this.#decided.get(context.restore) ?? new Map<string, Promise<VolumeTarget>>();
    this.#decided.set(context.restore, decided);
    const key = { namespace: context.mappedNamespace(pod.metadata.namespace ?? ''), name: claim };
    const known = decided.get(keyText(key));
    if (known !== undefined) return await known;
    const deciding = decide(pod, key, context, signal).catch((error: unknown): VolumeTarget => {
      signal.throwIfAborted();
      context.log.error({ volume, err: error }, 'Error restoring pod volume');
      return 'none';
    });
    decided.set(keyText(key), deciding);
    return await deciding;
  }
}

async function decide(
  pod: Pod,
  key: { namespace: string; name: string },
  context: RestoreActionContext,
  signal: AbortSignal,
): Promise<VolumeTarget> {
  const { kube, restore, log } = context;
  const claim = await readObject(kube, persistentVolumeClaimType, key, signal);
  // A claim that is being deleted is gone before its successor is created.
  if (claim === undefined || claim.metadata.deletionTimestamp !== undefined || isMadeBy(restore, claim)) return 'new';
  const earlier = await ofEarlierRestore(claim, context, signal);
  if (earlier !== undefined) return earlier;
  const policy = existingPolicy(restore, claim);
  if (policy === 'none') tellLeftAlone(key, log);
  else await prepare(claim, pod, context, signal);
  return policy;
}

/**
 * What earlier PodVolumeRestores say about a claim: one of this restore's earlier attempt, or one of another restore that failed:
 * in that case the content of the volume is no user's data.
 * @throws AppError EXISTING_VOLUME_UNFIT while another restore writes it
 */
async function ofEarlierRestore(
  { metadata }: PersistentVolumeClaim,
  { kube, restore, veleroNamespace: namespace }: RestoreActionContext,
  signal: AbortSignal,
): Promise<VolumeTarget | undefined> {
  const labelSelector = `${labels.pvcUid}=${getValidName(metadata.uid ?? '')}`;
  const made = await listIfServed(kube, podVolumeRestoreType, { namespace, labelSelector, signal });
  const own = made.find(
    (each) => each.metadata.labels?.[labels.restoreUid] === getValidName(restore.metadata.uid ?? ''),
  );
  if (own !== undefined) return own.spec.restoreType === undefined ? 'new' : (own.spec.restoreType as VolumeTarget);
  const open = made.find((each) => !isTerminalPhase(each.status?.phase) && failureOf(each) === undefined);
  if (open !== undefined)
    throw new AppError(
      'EXISTING_VOLUME_UNFIT',
      `no data is restored into PVC ${metadata.namespace}/${metadata.name}: PodVolumeRestore ${open.metadata.name} of another restore writes it`,
      { nextStep: 'Wait until that restore has ended, or cancel it.' },
    );
  return made.length > 0 && made.every((each) => each.status?.phase !== 'Completed') ? 'new' : undefined;
}

/** @throws AppError EXISTING_VOLUME_UNFIT, SNAPSHOT_…: nothing is written then */
async function prepare(
  claim: PersistentVolumeClaim,
  pod: Pod,
  context: RestoreActionContext,
  signal: AbortSignal,
): Promise<void> {
  const { kube, restore, dryRun, mappedNamespace } = context;
  const target = { namespace: claim.metadata.namespace ?? '', name: claim.metadata.name ?? '' };
  const volume = await readObject(kube, persistentVolumeType, { name: claim.spec.volumeName ?? '' }, signal);
  const sourceNamespace = pod.metadata.namespace ?? '';
  const unfit = whyUnfit({
    claim,
    volume,
    ...(await storedOf(claim, sourceNamespace, context, signal)),
    // Pods of this restore wait for the data.
    users: (await usersOf(kube, target, signal)).filter((user) => !isMadeBy(restore, user)),
    isMapped: mappedNamespace(sourceNamespace) !== sourceNamespace,
  });
  if (unfit !== undefined || volume === undefined)
    throw new AppError(
      'EXISTING_VOLUME_UNFIT',
      `no data is restored into PVC ${keyText(target)}: ${unfit?.message ?? 'it has no volume'}`,
      unfit === undefined ? {} : { nextStep: unfit.nextStep },
    );
  if (keepsOldData(restore) && !dryRun) await snapshotOldData(claim, volume, context, signal);
}

/** A backup may have the pod and not its claim: then there is nothing to compare. */
async function storedOf(
  claim: PersistentVolumeClaim,
  namespace: string,
  { archived }: RestoreActionContext,
  signal: AbortSignal,
): Promise<{ stored: PersistentVolumeClaim; storedVolume: PersistentVolume | undefined }> {
  const { group, resource } = persistentVolumeClaimType;
  const found = await archived({ group, resource, namespace, name: claim.metadata.name ?? '' }, signal);
  const stored = (found as unknown as PersistentVolumeClaim | undefined) ?? claim;
  const name = stored.spec.volumeName ?? '';
  const ofVolume = { group: persistentVolumeType.group, resource: persistentVolumeType.resource, name };
  const storedVolume = found === undefined || name === '' ? undefined : await archived(ofVolume, signal);
  return { stored, storedVolume: storedVolume as unknown as PersistentVolume | undefined };
}
