import { containerEndText, type KubeObject } from '@lateen/kube';

/** The parts of a Pod that say why it does not run. */
export interface BlockedPod extends KubeObject {
  status?: {
    phase?: string;
    conditions?: { type: string; status: string; reason?: string; message?: string }[];
    initContainerStatuses?: ContainerStatus[];
    containerStatuses?: ContainerStatus[];
  };
}

interface ContainerStatus {
  name: string;
  restartCount?: number;
  state?: { waiting?: { reason?: string; message?: string } };
  lastState?: { terminated?: { exitCode: number; signal?: number; reason?: string; message?: string } };
}

export interface Blocker {
  /** One sentence: pod, container, reason, and the last words of the container if it died. */
  text: string;
  /** Waiting longer does not help. */
  hopeless: boolean;
}

/** Without an image a container never starts, however long one waits. */
const hopelessReasons = new Set(['ErrImageNeverPull', 'ImagePullBackOff', 'InvalidImageName']);

/** Starting in the wrong order mends itself within a few restarts; what is left after that does not. */
const restartsMax = 4;

/** Enough for an error and its causes; a container's whole log does not belong into a message. */
const lastWordsMax = 800;

/** Why the pod does not run, or undefined when nothing is known against it. */
export function whatBlocks(pod: BlockedPod): Blocker | undefined {
  const name = `pod ${pod.metadata.namespace}/${pod.metadata.name}`;
  const scheduled = pod.status?.conditions?.find(({ type }) => type === 'PodScheduled');
  if (scheduled?.status === 'False')
    return {
      text: `${name} has no node: ${scheduled.message ?? scheduled.reason ?? 'no reason given'}`,
      hopeless: false,
    };
  for (const status of [...(pod.status?.initContainerStatuses ?? []), ...(pod.status?.containerStatuses ?? [])]) {
    const waiting = status.state?.waiting;
    if (waiting?.reason === undefined || harmless.has(waiting.reason)) continue;
    return {
      text: `${name}, container ${status.name}: ${waiting.reason}${detail(waiting.message)}${lastWords(status)}`,
      hopeless: hopelessReasons.has(waiting.reason) || (status.restartCount ?? 0) >= restartsMax,
    };
  }
  return undefined;
}

const harmless = new Set(['ContainerCreating', 'PodInitializing']);

const detail = (message: string | undefined): string =>
  message === undefined || message === '' ? '' : ` (${message})`;

function lastWords({ lastState }: ContainerStatus): string {
  const terminated = lastState?.terminated;
  if (terminated === undefined) return '';
  const { message } = terminated;
  const words = message === undefined || message === '' ? '' : `: ${message.trim().slice(-lastWordsMax)}`;
  return `; it ${containerEndText(terminated)}${words}`;
}
