import { configMapType, nodeType } from '@lateen/api-types';
import { AppError } from '@lateen/errors';
import { isNotFound, type KubeApi } from '@lateen/kube';
import { type AgentSettings, agentSettings } from './agent-settings.ts';

/**
 * The settings of this node, read once at start (api.md section 17.1).
 * @throws AGENT_SETTINGS when the config map is missing or cannot be read; what KubeApi throws
 */
export async function readAgentSettings(
  kube: KubeApi,
  where: { namespace: string; configMap: string; node: string },
  signal: AbortSignal,
): Promise<AgentSettings> {
  const { namespace, configMap: name, node } = where;
  const [configMap, { metadata }] = await Promise.all([
    kube.get(configMapType, { namespace, name }, { signal }).catch((cause: unknown) => {
      if (!isNotFound(cause)) throw cause;
      throw new AppError('AGENT_SETTINGS', `ConfigMap ${namespace}/${name} does not exist`, {
        cause,
        nextStep: 'Create it, or start without --node-agent-configmap.',
      });
    }),
    kube.get(nodeType, { name: node }, { signal }),
  ]);
  return agentSettings(`${namespace}/${name}`, configMap.data, metadata.labels ?? {});
}
