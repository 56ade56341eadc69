import { labels, labelValues, podType } from '@lateen/api-types';
import { AppError } from '@lateen/errors';
import { type KubeApi, listAll } from '@lateen/kube';

/**
 * Checks that a node-agent runs on the node: only that one can handle the node's pod volumes.
 * @throws AppError NO_NODE_AGENT naming the node, POD_VOLUMES_OFF when pod volumes are turned off in the installation
 */
export async function checkNodeAgent(
  kube: KubeApi,
  namespace: string,
  node: string,
  signal: AbortSignal,
): Promise<void> {
  const labelSelector = `${labels.role}=${labelValues.nodeAgent}`;
  const { items } = await listAll(kube, podType, { namespace, labelSelector, signal });
  const agent = items.find(({ spec, status }) => spec.nodeName === node && status?.phase === 'Running');
  if (agent === undefined)
    throw new AppError('NO_NODE_AGENT', `no node-agent runs on node ${node}, where the pod is`, {
      nextStep: `See them with: kubectl get pods -n ${namespace} -l ${labelSelector} -o wide`,
    });
  if (agent.spec.containers.some(({ args = [] }) => args.includes('--use-pod-volumes=false')))
    throw new AppError('POD_VOLUMES_OFF', 'pod volumes are switched off in this installation', {
      nextStep: 'Switch them on with: lateen install --use-pod-volumes',
    });
}
