import type { ContainerStatus, Pod } from '@lateen/api-types';
import { AppError } from '@lateen/errors';
import { podEndCause } from '@lateen/kube';
import { detail, nameOf, oneLine } from './finding.ts';
import { type NextStepTable, nextStepFor } from './next-step-table.ts';

/** Reasons for which a container will never start, however long the wait; the pull policy is Never. */
const hopelessWaitReasons: readonly string[] = ['ImagePullBackOff', 'ErrImageNeverPull', 'InvalidImageName'];

/**
 * Reasons of the kubelet (pkg/kubelet: eviction, admission, shutdown), the scheduler and the container runtime for a pod that was
 * ended from outside.
 */
const endSteps: NextStepTable = [
  [/OOMKilled/, 'Give data movers more memory: podResources in the node-agent configuration.'],
  [/Evicted/, 'Free resources on the node, or set requests with podResources in the node-agent configuration.'],
  [
    /OutOf(cpu|memory|pods|ephemeral-storage)\b/,
    'Wait until other pods of the node end, or request less with podResources in the node-agent configuration.',
  ],
  [/Preempt/, 'Give data movers a higher priority: priorityClassName in the node-agent configuration.'],
  [/Terminated|NodeShutdown|Shutdown/, 'The node was shut down: start again when it is back.'],
  [/TaintManager|NodeLost|PodGC/, 'Check the node: it was lost, or got a taint that data movers do not tolerate.'],
  [/DeadlineExceeded/, 'Find out who sets activeDeadlineSeconds on pods there: data movers need their time.'],
  [/NodeAffinity|UnexpectedAdmissionError/, 'Check the node: its kubelet has refused the pod.'],
  [
    /executable file not found|StartError|ContainerCannotRun/,
    'Check the image of DaemonSet node-agent: it has no data-mover that can be run.',
  ],
];

/**
 * Why a hosting pod will never run its data mover; undefined while it still may. Reads only the pod itself and makes no call, so
 * it may be called on every change.
 */
export function hostingPodFailure(pod: Pod): AppError | undefined {
  const name = nameOf(pod);
  const container = pod.status?.containerStatuses?.[0];
  const waiting = container?.state?.waiting;
  if (waiting?.reason !== undefined && hopelessWaitReasons.includes(waiting.reason)) {
    const image = pod.spec.containers[0]?.image ?? 'its image';
    return new AppError(
      'HOSTING_POD_IMAGE',
      `hosting pod ${name} cannot start: ${waiting.reason}${detail(waiting.message)}`,
      {
        nextStep: `Make image ${image} available on node ${pod.spec.nodeName ?? '(none)'}, where the node-agent runs it.`,
      },
    );
  }
  switch (pod.status?.phase) {
    case 'Failed': {
      const reason = podEndReason(pod);
      const nextStep = nextStepFor(endSteps, `${terminatedState(container)?.reason ?? ''} ${reason}`);
      return new AppError(
        'HOSTING_POD_FAILED',
        `hosting pod ${name} failed: ${reason}`,
        nextStep === undefined ? {} : { nextStep },
      );
    }
    case 'Unknown':
      return new AppError('HOSTING_POD_LOST', `hosting pod ${name} is in phase Unknown${detail(pod.status.message)}`, {
        nextStep: `Check node ${pod.spec.nodeName ?? '(none)'}: its kubelet does not report.`,
      });
    default:
      return undefined;
  }
}

/** How a pod ended, in the words of the mover, the kubelet or the evictor, whichever is the most specific. */
export function podEndReason(pod: Pod): string {
  const terminated = terminatedState(pod.status?.containerStatuses?.[0]);
  const message = terminated?.message?.trim();
  if (message !== undefined && message !== '') return oneLine(message);
  return oneLine(podEndCause(pod, terminated));
}

function terminatedState(status: ContainerStatus | undefined) {
  return status?.state?.terminated ?? status?.lastState?.terminated;
}
