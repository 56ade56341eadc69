import { persistentVolumeClaimType, type Unstructured } from '@lateen/api-types';
import { AppError, isAppError } from '@lateen/errors';
import type { Logger } from '@lateen/kernel';
import { type DiscoveredType, readObject } from '@lateen/kube';
import { waitGone } from '@lateen/kube-runtime';
import type { ItemRun } from '../../engine/item-run.ts';
import type { ItemTarget } from '../item-target.ts';

/** Whether the object is being deleted: it no longer counts as existing, but its name is not free yet. */
export const isTerminating = ({ metadata }: Pick<Unstructured, 'metadata'>): boolean =>
  metadata.deletionTimestamp !== undefined;

/**
 * Waits until an object that is being deleted is gone, with the time-out of a terminating namespace. Its item's place is given to other
 * items meanwhile. @throws OBJECT_TERMINATING, which names what holds the object
 */
export async function whenGone(
  { ports, additional }: ItemRun,
  { item }: ItemTarget,
  { type, object }: { type: DiscoveredType; object: Unstructured },
  log: Logger,
  signal: AbortSignal,
): Promise<void> {
  const { terminatingTimeoutMs: timeoutMs } = ports.limits;
  log.info({}, 'the object in the cluster is being deleted; the restore waits until it is gone');
  try {
    await additional.whileWaiting(item, () => waitGone(ports, type, object, { timeoutMs, signal }), signal);
  } catch (error) {
    if (!isAppError(error, 'STILL_THERE')) throw error;
    const { kind, name } = { kind: type.kind, name: object.metadata.name };
    throw new AppError(
      'OBJECT_TERMINATING',
      `timed out waiting for the ${kind} that is being deleted to disappear before restoring: ${name}`,
      { cause: error, nextStep: `${error.nextStep ?? ''} --terminating-resource-timeout gives it more time.`.trim() },
    );
  }
}

/** Waits for a claim that is being deleted before its data is decided on, because the decision depends on the existing claim. */
export async function whenClaimGone(
  run: ItemRun,
  target: ItemTarget,
  type: DiscoveredType,
  log: Logger,
  signal: AbortSignal,
): Promise<void> {
  const { kube, dryRun } = run.ports;
  if (dryRun || !isClaim(target)) return;
  const { namespace = '', name } = target;
  const there = await readObject(kube, persistentVolumeClaimType, { namespace, name }, signal);
  if (there === undefined || there.metadata.deletionTimestamp === undefined) return;
  await whenGone(run, target, { type, object: there as unknown as Unstructured }, log, signal);
}

export const isClaim = ({ item }: ItemTarget): boolean => item.groupResource === 'persistentvolumeclaims';
