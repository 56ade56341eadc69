import { labels, labelValues, podType } from '@lateen/api-types';
import { type KubeApi, listAll } from '@lateen/kube';

/** The nodes on which a node-agent runs. @param namespace of the installation */
export async function nodesWithAgent(
  kube: KubeApi,
  namespace: string,
  signal: AbortSignal,
): Promise<ReadonlySet<string>> {
  const labelSelector = `${labels.role}=${labelValues.nodeAgent}`;
  const { items } = await listAll(kube, podType, { namespace, labelSelector, signal });
  return new Set(items.flatMap(({ spec, status }) => (status?.phase === 'Running' ? (spec.nodeName ?? []) : [])));
}
