import { annotations } from '@lateen/api-types';
import type { ExposureSeen } from './exposure-seen.ts';
import { type Finding, nameOf, oneLine } from './finding.ts';
import { eventsAbout, newestTrouble, wordsOf } from './object-events.ts';

/** A restore creates the download first, and the claim when everything that it needs exists. */
export function targetIsMissing({ missingTarget }: ExposureSeen): Finding | undefined {
  if (missingTarget === undefined) return undefined;
  return {
    cause: `Target PVC ${missingTarget} does not exist`,
    nextStep: 'Check in the log of the restore why it does not create the claim.',
  };
}

/**
 * For a restore, nothing is made before the target's consumer has a node. What the provisioner reports about the target itself is
 * no problem: the target's selector excludes every volume but ours, and provisioners refuse selectors.
 */
export function targetWaitsForConsumer({ target, targetClass, events }: ExposureSeen): Finding | undefined {
  if (target === undefined || targetClass?.volumeBindingMode !== 'WaitForFirstConsumer') return undefined;
  const node = target.metadata.annotations?.[annotations.selectedNode];
  if (node !== undefined && node !== '') return undefined;
  const is = `Target PVC ${nameOf(target)} waits until a pod that uses it is given a node`;
  const event = newestTrouble(eventsAbout(events, target), {
    reasons: ['WaitForPodScheduled', 'WaitForFirstConsumer'],
  });
  const describe = 'See with kubectl describe why that pod is not scheduled.';
  switch (event?.reason) {
    case 'WaitForPodScheduled':
      return { cause: `${is}: ${oneLine(wordsOf(event))}`, nextStep: describe };
    case 'WaitForFirstConsumer':
      return { cause: `${is}, and there is none`, nextStep: 'Start the workload that uses it.' };
    default:
      return { cause: is, nextStep: 'Start the workload that uses it, and see that it can be scheduled.' };
  }
}
