import { labels, labelValues, type Pod, podType } from '@lateen/api-types';
import { type KubeApi, listAll } from '@lateen/kube';

/** The running node-agents. @param namespace of the installation */
export async function runningNodeAgents(kube: KubeApi, namespace: string, signal: AbortSignal): Promise<Pod[]> {
  const labelSelector = `${labels.role}=${labelValues.nodeAgent}`;
  const { items } = await listAll(kube, podType, { namespace, labelSelector, signal });
  return items.filter(({ status }) => status?.phase === 'Running');
}

/** The nodes on which a node-agent runs. @param namespace of the installation */
export async function nodesWithAgent(
  kube: KubeApi,
  namespace: string,
  signal: AbortSignal,
): Promise<ReadonlySet<string>> {
  const agents = await runningNodeAgents(kube, namespace, signal);
  return new Set(agents.flatMap(({ spec }) => spec.nodeName ?? []));
}
