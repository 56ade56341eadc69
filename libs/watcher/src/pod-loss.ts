import type { ContainerState, Pod } from '@lateen/api-types';
import { endingSignal } from '@lateen/kube';
import type { Interruption } from './interruption.ts';

type Terminated = ContainerState['terminated'];

/** `status.reason` of a pod that was ended (kubelet: eviction, preemption, node shutdown; node lifecycle controller). */
const podReasons: Readonly<Record<string, Interruption>> = {
  Evicted: 'DATA_PATH_EVICTED',
  Preempting: 'DATA_PATH_PREEMPTED',
  Preempted: 'DATA_PATH_PREEMPTED',
  NodeLost: 'DATA_PATH_NODE_LOST',
  NodeShutdown: 'DATA_PATH_NODE_LOST',
  Shutdown: 'DATA_PATH_NODE_LOST',
  // "Pod was terminated in response to imminent node shutdown."
  Terminated: 'DATA_PATH_NODE_LOST',
};

/** `reason` of the pod's condition DisruptionTarget (Kubernetes: "Pod disruption conditions"). */
const disruptionReasons: Readonly<Record<string, Interruption>> = {
  PreemptionByScheduler: 'DATA_PATH_PREEMPTED',
  EvictionByEvictionAPI: 'DATA_PATH_EVICTED',
  TerminationByKubelet: 'DATA_PATH_EVICTED',
  DeletionByTaintManager: 'DATA_PATH_NODE_LOST',
  DeletionByPodGC: 'DATA_PATH_NODE_LOST',
};

/** Why something other than its own program ends, or has ended, the pod; undefined when nothing says so. */
export function disruption(pod: Pod): Interruption | undefined {
  const byPod = podReasons[pod.status?.reason ?? ''];
  if (byPod !== undefined) return byPod;
  const target = pod.status?.conditions?.find(({ type, status }) => type === 'DisruptionTarget' && status === 'True');
  return disruptionReasons[target?.reason ?? ''];
}

/** How an ended pod's mover was lost; undefined when it ended by itself, well or badly. */
export function podLoss(pod: Pod, terminated: Terminated): Interruption | undefined {
  // The container's own state is more exact than the pod's: a pod over its memory limit may be evicted as well.
  if (terminated?.reason === 'OOMKilled') return 'DATA_PATH_OUT_OF_MEMORY';
  const disrupted = disruption(pod);
  if (disrupted !== undefined) return disrupted;
  if (terminated === undefined) return 'DATA_PATH_NOT_STARTED';
  // The kubelet came back and no longer found the container: the node or its container runtime was restarted.
  if (isUnseenEnd(terminated)) return 'DATA_PATH_NODE_LOST';
  if (endingSignal(terminated) !== undefined) return 'DATA_PATH_KILLED';
  // containerd's words for a container whose shim is gone.
  return terminated.reason === 'Unknown' ? 'DATA_PATH_KILLED' : undefined;
}

/** Kubelet no longer finds the container, and takes it for ended. */
export const isUnseenEnd = ({ reason }: NonNullable<Terminated>): boolean => reason === 'ContainerStatusUnknown';

/** Reasons under which the message is the kubelet's or the runtime's, not what the mover has written. */
const notByTheMover = new Set(['ContainerStatusUnknown', 'StartError', 'ContainerCannotRun', 'CreateContainerError']);

/** True when the termination message can be the mover's own. */
export const isMoversMessage = (terminated: Terminated): boolean => !notByTheMover.has(terminated?.reason ?? '');
