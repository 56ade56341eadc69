import { persistentVolumeClaimType, type Unstructured } from '@lateen/api-types';
import { AppError, isAppError } from '@lateen/errors';
import type { Logger } from '@lateen/kernel';
import { type DiscoveredType, readObject } from '@lateen/kube';
import { waitGone } from '@lateen/kube-runtime';
import type { ItemRun } from '../../engine/item-run.ts';
import type { ItemTarget } from '../item-target.ts';

/** On its way out: it is not there any more for whoever restores it, and its name is not free yet. */
export const isTerminating = ({ metadata }: Pick<Unstructured, 'metadata'>): boolean =>
  metadata.deletionTimestamp !== undefined;

/**
 * Waits until an object that is being deleted is gone, as long as for a terminating namespace. Its item's place is given to others
 * meanwhile. @throws OBJECT_TERMINATING, which names what keeps it
 */
export async function whenGone(
  { ports, additional }: ItemRun,
  { item }: ItemTarget,
  { type, object }: { type: DiscoveredType; object: Unstructured },
  log: Logger,
  signal: AbortSignal,
): Promise<void> {
  const { terminatingTimeoutMs: timeoutMs } = ports.limits;
  log.info({}, 'the object in the cluster is being deleted, it is waited for');
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

/** What becomes of the data of a claim depends on the claim that is there: one that goes is waited for before that is decided. */
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
