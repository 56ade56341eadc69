import { configMapType, nodeType } from '@lateen/api-types';
import { AppError } from '@lateen/errors';
import type { ExposureSettings, PodVolumeSettings } from '@lateen/exposer';
import { isNotFound, type KubeApi } from '@lateen/kube';
import { agentSettings } from './agent-settings.ts';
import { cacheLimitAt } from './cache-limit.ts';
import { checkClasses } from './check-classes.ts';

export interface SettingsSource {
  namespace: string;
  node: string;
  /** `--node-agent-configmap` */
  configMap: string | undefined;
  /** `--backup-repository-configmap` */
  repositoryConfigMap: string | undefined;
  /** The values of the flags; the ConfigMap may override them. */
  podVolume: PodVolumeSettings;
}

/** The settings of this node, ready to be used. */
export interface NodeSettings {
  /** Undefined when neither flag nor ConfigMap sets it. */
  concurrency: number | undefined;
  /** 0 means no limit. */
  prepareQueueLength: number;
  exposure: ExposureSettings;
  /** Settings that were ignored, and why; for the log. */
  remarks: readonly string[];
}

/**
 * Reads the settings of this node once, at start: a change of a ConfigMap applies after a restart of the agent (api.md section
 * 17.1).
 * @throws AGENT_SETTINGS when a ConfigMap is missing or invalid as a whole; what KubeApi throws
 */
export async function readAgentSettings(
  kube: KubeApi,
  source: SettingsSource,
  signal: AbortSignal,
): Promise<NodeSettings> {
  const { namespace, node, configMap, repositoryConfigMap, podVolume: usual } = source;
  if (configMap === undefined)
    return { concurrency: undefined, prepareQueueLength: 0, exposure: { podVolume: usual }, remarks: [] };
  const [data, repositoryData, { metadata }] = await Promise.all([
    dataOf(kube, namespace, ['--node-agent-configmap', configMap], signal),
    repositoryConfigMap === undefined
      ? undefined
      : dataOf(kube, namespace, ['--backup-repository-configmap', repositoryConfigMap], signal),
    kube.get(nodeType, { name: node }, { signal }),
  ]);
  const asked = agentSettings(`${namespace}/${configMap}`, data, metadata.labels ?? {});
  const remarks = [...asked.remarks];
  const remark = (text: string) => void remarks.push(text);
  const cacheLimitMB = cacheLimitAt(`${namespace}/${repositoryConfigMap}`, repositoryData, remark);
  const { podVolume, ...askedFor } = asked.exposure;
  const checked = await checkClasses(kube, askedFor, { cacheLimitMB, remark, signal });
  const { concurrency, prepareQueueLength } = asked;
  const exposure = { ...checked, podVolume: { ...usual, ...podVolume } };
  return { concurrency, prepareQueueLength, exposure, remarks };
}

async function dataOf(
  kube: KubeApi,
  namespace: string,
  [flag, name]: readonly [flag: string, name: string],
  signal: AbortSignal,
): Promise<Record<string, string> | undefined> {
  try {
    return (await kube.get(configMapType, { namespace, name }, { signal })).data;
  } catch (cause) {
    if (!isNotFound(cause)) throw cause;
    throw new AppError('AGENT_SETTINGS', `ConfigMap ${namespace}/${name} does not exist`, {
      cause,
      nextStep: `Create it, or start without ${flag}.`,
    });
  }
}
