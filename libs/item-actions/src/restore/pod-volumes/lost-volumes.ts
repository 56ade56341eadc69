import { isTerminalPhase, type Pod, type PodVolumeRestore } from '@lateen/api-types';
import { isRestoreWait } from '@lateen/hooks';
import { failureOf, failureOfEnded } from './failure-of.ts';
import { awaitedVolumes, type MadeRestores } from './made-restores.ts';

/** A volume that the pod waits for and that will not be restored. */
export interface LostVolume {
  volume: string;
  why: string;
}

/** What is known of the volumes that pods wait for. */
export interface VolumeNews {
  made: MadeRestores;
  /** Also true for a movement that is gone or never ends; by default its phase decides. */
  hasEnded?(restore: PodVolumeRestore): boolean;
}

/**
 * The volumes of a pod that will not be restored, once no movement for the pod is running: until then its data may still be
 * written. Empty: the pod has all of them, or has begun (its init container runs again after a restart of the node, and finds no
 * mark then). Undefined: a movement is running, or the pod does not wait for the lost volumes. Pure.
 */
export function lostVolumes(pod: Pod, { made, hasEnded = isTerminal }: VolumeNews): LostVolume[] | undefined {
  const awaited = awaitedVolumes(pod);
  if (awaited.length === 0) return undefined;
  const lost: LostVolume[] = [];
  for (const each of awaited) {
    const restore = made.of(pod, each);
    const isOver = restore === undefined || hasEnded(restore);
    const why = restore === undefined ? notMade : isOver ? failureOfEnded(restore) : failureOf(restore);
    if (why !== undefined) lost.push({ volume: each.volume, why });
    else if (!isOver) return undefined;
  }
  return lost.length > 0 && hasBegun(pod) ? undefined : lost;
}

const notMade = 'no PodVolumeRestore could be made for it';

const isTerminal = ({ status }: PodVolumeRestore): boolean => isTerminalPhase(status?.phase);

/** The pod has stopped waiting. Pure. */
export const hasBegun = ({ status }: Pick<Pod, 'status'>): boolean =>
  status?.initContainerStatuses?.find(isRestoreWait)?.state?.terminated?.exitCode === 0;
