import { annotations, attemptOf, type Pod } from '@lateen/api-types';
import { describeError } from '@lateen/errors';
import { hostingPodFailure } from '@lateen/exposer';
import { parseQuantity, wholeUnits } from '@lateen/kube';
import { podInterruption } from '@lateen/watcher';
import { type Movement, ownerOf } from '../kinds/movement-kind.ts';
import type { SeenPod } from './seen.ts';

/**
 * The hosting pod of a movement's present attempt, as decisions see it. A pod of an earlier attempt, or of an earlier owner of
 * the same name, is ignored.
 */
export function podSeen(pod: Pod | undefined, object: Movement): SeenPod | undefined {
  if (pod === undefined || !isHostingPodOf(pod, object)) return undefined;
  const phase = pod.status?.phase;
  const ended = phase === 'Succeeded' || phase === 'Failed';
  const lost = podInterruption(pod, ownerOf(object).uid);
  const failure = lost ?? hostingPodFailure(pod);
  return {
    uid: pod.metadata.uid ?? '',
    running: phase === 'Running',
    ended,
    unready: phase === 'Unknown' || (phase === 'Running' && isNotReady(pod)),
    node: pod.spec.nodeName ?? '',
    volumeBytes: volumeBytesOf(pod),
    needsClient: isOnHostPath(pod, ownerOf(object).uid),
    ...(failure === undefined ? {} : { failure: describeError(failure), lost: lost !== undefined }),
  };
}

export function isHostingPodOf(pod: Pod, object: Movement): boolean {
  const isOwner = pod.metadata.ownerReferences?.some((owner) => owner.uid === object.metadata.uid) === true;
  return isOwner && attemptOf(pod) === attemptOf(object);
}

/** The mover's pod has no readiness probe: while its container runs, only the loss of the node makes it not ready. */
function isNotReady(pod: Pod): boolean {
  const ready = pod.status?.conditions?.find(({ type }) => type === 'Ready');
  const runs = pod.status?.containerStatuses?.some(({ state }) => state?.running !== undefined) === true;
  return ready !== undefined && ready.status !== 'True' && runs;
}

/** The hosting pod names the volume after its owner's UID. */
const isOnHostPath = (pod: Pod, volume: string): boolean =>
  pod.spec.volumes?.some(({ name, hostPath }) => name === volume && (hostPath ?? undefined) !== undefined) === true;

function volumeBytesOf(pod: Pod): number {
  const size = parseQuantity(pod.metadata.annotations?.[annotations.volumeSize] ?? '');
  return size === undefined ? 0 : Number(wholeUnits(size));
}
