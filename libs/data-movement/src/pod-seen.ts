import type { Pod } from '@lateen/api-types';
import { describeError } from '@lateen/errors';
import { hostingPodFailure } from '@lateen/exposer';
import type { Seen } from './decide-movement.ts';

/** The hosting pod of one owner, as decisions look at it. A pod of an earlier owner of the same name does not count. */
export function podSeen(pod: Pod | undefined, ownerUid: string | undefined): Seen['pod'] {
  if (pod === undefined || pod.metadata.ownerReferences?.some((owner) => owner.uid === ownerUid) !== true)
    return undefined;
  const phase = pod.status?.phase;
  const failure = hostingPodFailure(pod);
  return {
    running: phase === 'Running',
    ended: phase === 'Succeeded' || phase === 'Failed',
    node: pod.spec.nodeName ?? '',
    ...(failure === undefined ? {} : { failure: describeError(failure) }),
  };
}
