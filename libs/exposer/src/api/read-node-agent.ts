import { daemonSetType, nodeAgentName } from '@lateen/api-types';
import { AppError } from '@lateen/errors';
import { type KubeApi, readObject } from '@lateen/kube';
import { type InheritedPodConfig, inheritedPodConfig } from '../specs/inherited-pod-config.ts';

/**
 * Reads what hosting pods inherit; read for each pod, so that a changed DaemonSet applies at once. @throws EXPOSE_NO_NODE_AGENT,
 * EXPOSE_NODE_AGENT_SHAPE
 */
export async function readNodeAgent(
  kube: KubeApi,
  namespace: string,
  signal: AbortSignal,
): Promise<InheritedPodConfig> {
  const daemonSet = await readObject(kube, daemonSetType, { namespace, name: nodeAgentName }, signal);
  if (daemonSet === undefined) {
    throw new AppError('EXPOSE_NO_NODE_AGENT', `DaemonSet ${namespace}/${nodeAgentName} does not exist`, {
      nextStep: 'Hosting pods are made from its template: install it (see deploy/base/node-agent).',
    });
  }
  return inheritedPodConfig(daemonSet);
}
