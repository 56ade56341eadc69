import {
  labels,
  type PersistentVolume,
  type PersistentVolumeClaim,
  persistentVolumeClaimType,
  persistentVolumeType,
} from '@lateen/api-types';
import type { PersistentVolumeInfo } from '@lateen/backup-store';
import { AppError } from '@lateen/errors';
import { waitsForConsumer } from '@lateen/item-actions';
import { durationText } from '@lateen/kernel';
import { keyOf, keyText, type ObjectKey, readObject } from '@lateen/kube';
import { waitForObject } from '@lateen/kube-runtime';
import type { WaitPorts } from '../volume-in-cluster.ts';

/** The patch that gives a volume what the backup's volume had; undefined when it lacks nothing. Labels are merged. Pure. */
export function volumePatch(
  { metadata, spec }: PersistentVolume,
  { labels, reclaimPolicy }: PersistentVolumeInfo,
): { metadata?: object; spec?: object } | undefined {
  const missing = Object.entries(labels ?? {}).filter(([key, value]) => metadata.labels?.[key] !== value);
  const isOther = reclaimPolicy !== '' && spec.persistentVolumeReclaimPolicy !== reclaimPolicy;
  if (missing.length === 0 && !isOther) return undefined;
  return {
    ...(missing.length === 0 ? {} : { metadata: { labels: Object.fromEntries(missing) } }),
    ...(isOther ? { spec: { persistentVolumeReclaimPolicy: reclaimPolicy } } : {}),
  };
}

/**
 * Waits until the restored claim has its volume, and gives the volume the labels and the reclaim policy of the backup's volume.
 * @returns the claim with its volume; undefined when there is nothing to wait for: the claim is gone, or no pod has requested it yet
 * @throws AppError CLAIM_NOT_BOUND after `timeoutMs`
 */
export async function settleVolume(
  ports: WaitPorts,
  key: ObjectKey,
  info: PersistentVolumeInfo | undefined,
  options: { timeoutMs: number; signal: AbortSignal },
): Promise<PersistentVolumeClaim | undefined> {
  const { kube } = ports;
  const present = await readObject(kube, persistentVolumeClaimType, key, options.signal);
  // A claim that existed before keeps its volume as it was.
  const isRestored = present?.metadata.labels?.[labels.restoreName] !== undefined;
  if (present === undefined || !isRestored || (await waitsForConsumer(kube, present, options.signal))) return undefined;
  const claim = isBound(present) ? present : await boundClaim(ports, key, options);
  const name = claim?.spec.volumeName ?? '';
  const volume = await readObject(kube, persistentVolumeType, { name }, options.signal);
  if (claim === undefined || volume === undefined || volume.spec.claimRef?.uid !== claim.metadata.uid) return claim;
  const body = info === undefined ? undefined : volumePatch(volume, info);
  if (body !== undefined)
    await kube.patch(persistentVolumeType, keyOf(volume), { type: 'merge', body }, { signal: options.signal });
  return claim;
}

const isBound = ({ status, spec }: PersistentVolumeClaim): boolean =>
  status?.phase === 'Bound' && (spec.volumeName ?? '') !== '';

async function boundClaim(
  { kube, clock, random, log }: WaitPorts,
  key: ObjectKey,
  { timeoutMs, signal }: { timeoutMs: number; signal: AbortSignal },
): Promise<PersistentVolumeClaim | undefined> {
  const deadline = clock.deadline(timeoutMs);
  const until = (seen: PersistentVolumeClaim | undefined) =>
    seen === undefined ? { claim: undefined } : isBound(seen) ? { claim: seen } : undefined;
  const either = AbortSignal.any([signal, deadline]);
  const wait = { api: kube, clock, random, log, type: persistentVolumeClaimType, key, until, signal: either };
  try {
    return (await waitForObject(wait)).claim;
  } catch (error) {
    if (!deadline.aborted || signal.aborted) throw error;
    throw new AppError('CLAIM_NOT_BOUND', `PVC ${keyText(key)} has no volume after ${durationText(timeoutMs)}`, {
      nextStep: 'Check the Events of the claim.',
    });
  }
}
