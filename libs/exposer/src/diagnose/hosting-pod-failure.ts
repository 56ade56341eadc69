import type { ContainerStatus, Pod } from '@lateen/api-types';
import { AppError } from '@lateen/errors';

/** Reasons for which a container will not start however long one waits; the pull policy is Never. */
const hopelessWaitReasons: readonly string[] = ['ImagePullBackOff', 'ErrImageNeverPull', 'InvalidImageName'];

/**
 * Why a hosting pod will never run its data mover; undefined while there is hope. Only what the pod itself says: no
 * call, so it can be asked on every change.
 */
export function hostingPodFailure(pod: Pod): AppError | undefined {
  const name = `${pod.metadata.namespace}/${pod.metadata.name}`;
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
    case 'Failed':
      return new AppError('HOSTING_POD_FAILED', `hosting pod ${name} failed: ${podEndReason(pod)}`);
    case 'Unknown':
      return new AppError('HOSTING_POD_LOST', `hosting pod ${name} is in phase Unknown${detail(pod.status.message)}`, {
        nextStep: `Look at node ${pod.spec.nodeName ?? '(none)'}: its kubelet does not report.`,
      });
    default:
      return undefined;
  }
}

/** How a pod ended, in the words of the mover, the kubelet or the evictor, whoever knows best. */
export function podEndReason(pod: Pod): string {
  const terminated = terminatedState(pod.status?.containerStatuses?.[0]);
  const message = terminated?.message?.trim();
  if (message !== undefined && message !== '') return message;
  if (pod.status?.reason !== undefined && pod.status.reason !== '')
    return `${pod.status.reason}${detail(pod.status.message)}`;
  if (terminated === undefined) return 'no container status';
  return `container ended with exit code ${terminated.exitCode}${detail(terminated.reason)}`;
}

function terminatedState(status: ContainerStatus | undefined) {
  return status?.state?.terminated ?? status?.lastState?.terminated;
}

function detail(text: string | undefined): string {
  return text === undefined || text.trim() === '' ? '' : `: ${text.trim()}`;
}
