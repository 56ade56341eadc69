import {
  getValidName,
  isTerminalPhase,
  labels,
  type PersistentVolume,
  type PersistentVolumeClaim,
  type Pod,
  persistentVolumeClaimType,
  persistentVolumeType,
  podType,
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
import { failureOf } from './failed-pod-volumes.ts';
import type { StoredPodVolume } from './stored-pod-volumes.ts';

/** Where the data of a volume of a pod goes. */
export type VolumeTarget =
  /** Into a volume that the restore makes. */
  | 'new'
  /** Into the one that its claim has had before the restore (docs/adr/0039). */
  | Exclude<ExistingPolicy, 'none'>
  /** Nowhere: the claim keeps what it has. */
  | 'none';

/**
 * Decides about each volume of a pod before the pod is made, and remembers that for when it is there. A claim that was there before keeps its data
 * unless the restore says otherwise; then it is checked, and what it has is snapshotted first. What speaks against that is an error of
 * the volume, and the pod starts with what is there.
 */
export class VolumeTargets {
  readonly #decided = new WeakMap<Restore, Map<string, VolumeTarget>>();

  async decide(
    pod: Pod,
    stored: StoredPodVolume,
    context: RestoreActionContext,
    signal: AbortSignal,
  ): Promise<VolumeTarget> {
    const decided = this.#decided.get(context.restore) ?? new Map<string, VolumeTarget>();
    this.#decided.set(context.restore, decided);
    const target = await this.#decideOne(pod, stored, context, signal);
    decided.set(keyOf(pod, stored), target);
    return target;
  }

  /** @param pod as it is in the backup */
  of(pod: Pod, stored: StoredPodVolume, { restore }: Pick<RestoreActionContext, 'restore'>): VolumeTarget {
    return this.#decided.get(restore)?.get(keyOf(pod, stored)) ?? 'new';
  }

  async #decideOne(pod: Pod, stored: StoredPodVolume, context: RestoreActionContext, signal: AbortSignal) {
    const { kube, restore, log, mappedNamespace } = context;
    if (stored.claim === undefined) return 'new';
    const key = { namespace: mappedNamespace(pod.metadata.namespace ?? ''), name: stored.claim };
    const claim = await readObject(kube, persistentVolumeClaimType, key, signal);
    if (claim === undefined || isOf(restore, claim)) return 'new';
    const policy = existingPolicy(restore, claim);
    try {
      if (await hasNeverHadItsData(claim, context, signal)) return 'new';
      if (policy === 'none') tellLeftAlone(key, log);
      else await prepare(claim, pod, context, signal);
      return policy;
    } catch (error) {
      signal.throwIfAborted();
      log.error({ volume: stored.volume, err: error }, 'Error restoring pod volume');
      return 'none';
    }
  }
}

const keyOf = ({ metadata }: Pod, { volume }: StoredPodVolume): string =>
  `${metadata.namespace}/${metadata.name}/${volume}`;

/** Made by this restore, or by an earlier attempt of it; what it only changed is older, and one that goes does not count. */
function isOf(restore: Restore, { metadata }: PersistentVolumeClaim | Pod): boolean {
  if (metadata.deletionTimestamp !== undefined) return true;
  const isLabelled = metadata.labels?.[labels.restoreName] === getValidName(restore.metadata.name ?? '');
  const isOlder = Date.parse(metadata.creationTimestamp ?? '') < Date.parse(restore.metadata.creationTimestamp ?? '');
  return isLabelled && !isOlder;
}

/**
 * Another restore has made it, and could not bring its data: what is in it is nobody's.
 * @throws AppError EXISTING_VOLUME_UNFIT while another restore writes it
 */
async function hasNeverHadItsData(
  { metadata }: PersistentVolumeClaim,
  { kube, veleroNamespace: namespace }: RestoreActionContext,
  signal: AbortSignal,
): Promise<boolean> {
  const labelSelector = `${labels.pvcUid}=${getValidName(metadata.uid ?? '')}`;
  const made = await listIfServed(kube, podVolumeRestoreType, { namespace, labelSelector, signal });
  const open = made.find((each) => !isTerminalPhase(each.status?.phase) && failureOf(each) === undefined);
  if (open !== undefined)
    throw new AppError(
      'EXISTING_VOLUME_UNFIT',
      `no data is restored into PVC ${metadata.namespace}/${metadata.name}: PodVolumeRestore ${open.metadata.name} of another restore writes it`,
      { nextStep: 'Wait until that restore has ended, or cancel it.' },
    );
  return made.length > 0 && made.every((each) => each.status?.phase !== 'Completed');
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
  const podKey = { namespace: target.namespace, name: pod.metadata.name ?? '' };
  const there = await readObject(kube, podType, podKey, signal);
  // An earlier attempt of this restore has prepared it, and its pod waits.
  if (there !== undefined && isOf(restore, there) && there.metadata.deletionTimestamp === undefined) return;
  const volume = await readObject(kube, persistentVolumeType, { name: claim.spec.volumeName ?? '' }, signal);
  const sourceNamespace = pod.metadata.namespace ?? '';
  const unfit = whyUnfit({
    claim,
    volume,
    ...(await storedOf(claim, sourceNamespace, context, signal)),
    users: await usersOf(kube, target, signal),
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

/** A backup may have the pod and not its claim: then there is nothing to compare with. */
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
