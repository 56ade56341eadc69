import type { ContainerState, Pod } from '@lateen/api-types';
import { podEndCause } from '@lateen/kube';
import type { Interruption } from './interruption.ts';
import { isMoversMessage, isUnseenEnd, podLoss } from './pod-loss.ts';

/** Kubelet keeps this many bytes of the termination message file and drops the rest (data-movement.md section 7). */
export const terminationMessageBytesMax = 4096;

/** The end of a hosting pod, as the pod itself tells it. */
export interface PodEnd {
  succeeded: boolean;
  /** The mover's termination message, "" when there is none. */
  message: string;
  /** The message may have lost its tail. */
  truncated: boolean;
  /** Why it ended when the message does not say: OOMKilled, Evicted, the exit code. */
  cause: string;
  /** Kubelet has seen the mover's container end; a pod can be called Failed by others, who have not. */
  containerEnded: boolean;
  /** Set when something outside ended the mover. */
  loss?: Interruption | undefined;
}

/**
 * Undefined while the pod has not ended. A pod that never restarts has ended with its only container; kubelet says so
 * about the container a second or more before the phase follows.
 */
export function podEnd(pod: Pod, container: string): PodEnd | undefined {
  const phase = pod.status?.phase;
  const terminated = terminatedState(pod, container);
  const hasPhase = phase === 'Succeeded' || phase === 'Failed';
  if (!hasPhase && terminated === undefined) return undefined;
  const message = isMoversMessage(terminated) ? (terminated?.message ?? '') : '';
  const succeeded = hasPhase ? phase === 'Succeeded' : terminated?.exitCode === 0;
  return {
    succeeded,
    message,
    truncated: Buffer.byteLength(message) >= terminationMessageBytesMax,
    cause: causeOf(pod, terminated),
    containerEnded: terminated !== undefined && !isUnseenEnd(terminated),
    loss: succeeded ? undefined : podLoss(pod, terminated),
  };
}

/** The mover has been started, so that there is a log; undefined before that. */
export function containerStart(pod: Pod, container: string): { startedAt: string | undefined } | undefined {
  const state = pod.status?.containerStatuses?.find((status) => status.name === container)?.state;
  const started = state?.running ?? state?.terminated;
  return started === undefined ? undefined : { startedAt: started.startedAt };
}

function terminatedState(pod: Pod, container: string): ContainerState['terminated'] {
  return pod.status?.containerStatuses?.find((status) => status.name === container)?.state?.terminated;
}

function causeOf(pod: Pod, terminated: ContainerState['terminated']): string {
  const cause = podEndCause(pod, terminated);
  // What the kubelet or the runtime has written in place of the mover.
  return isMoversMessage(terminated) || !terminated?.message ? cause : `${cause}: ${terminated.message}`;
}
