import type { ContainerStatus, Pod } from '@lateen/api-types';
import { isRestoreWait } from '@lateen/hooks';

/**
 * What a client pod waits for before its volumes can be restored, with the next step for the user; undefined when the pod's node
 * continues the restore.
 */
export function whyClientWaits(pod: Pod, agentLostForMs: (node: string) => number): string | undefined {
  const name = `pod ${pod.metadata.namespace}/${pod.metadata.name}`;
  const node = pod.spec.nodeName ?? '';
  if (node === '') return `${name} is not scheduled: ${schedulingText(pod)}`;
  if (agentLostForMs(node) > 0)
    return `node ${node}, where ${name} is, has no running node-agent. Check its pod of DaemonSet node-agent; the movement starts when that pod runs again.`;
  const waiter = pod.status?.initContainerStatuses?.find((each) => isRestoreWait(each));
  if (!pod.spec.initContainers?.some(isRestoreWait))
    return `${name} has no init container that waits for its volumes to be restored`;
  if (waiter?.state?.running !== undefined) return undefined;
  return `${waiter?.name ?? 'the init container that waits for the volumes'} of ${name} does not run: ${stateText(waiter)}`;
}

function schedulingText({ status }: Pod): string {
  const scheduled = status?.conditions?.find(({ type }) => type === 'PodScheduled');
  return scheduled?.message || 'no scheduler has handled it';
}

function stateText(status: ContainerStatus | undefined): string {
  const { waiting, terminated } = status?.state ?? {};
  if (terminated !== undefined) return `it has ended (${terminated.reason ?? `exit code ${terminated.exitCode}`})`;
  const text = [waiting?.reason, waiting?.message].filter((each) => (each ?? '') !== '').join(': ');
  return text === '' ? 'its kubelet has not started it' : text;
}
