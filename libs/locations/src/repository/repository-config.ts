import { configMapType } from '@lateen/api-types';
import type { Logger } from '@lateen/kernel';
import { isNotFound, type KubeApi } from '@lateen/kube';
import { blockSplitterKey, blockSplitterOf, splitterNames } from '@lateen/repository';

export interface RepositoryConfigOptions {
  kube: Pick<KubeApi, 'get'>;
  namespace: string;
  /** Of the backup repository ConfigMap; undefined: there is none. */
  configMapName: string | undefined;
  log: Logger;
}

/**
 * What the backup repository ConfigMap says for repositories of one type (api.md section 17.3): its values as texts. A ConfigMap that is
 * missing or makes no sense is complained of and counts for nothing. @throws KUBE_…
 */
export async function repositoryConfig(
  { kube, namespace, configMapName: name, log }: RepositoryConfigOptions,
  type: string,
  signal: AbortSignal,
): Promise<Record<string, string> | undefined> {
  if (name === undefined) return undefined;
  try {
    const { data } = await kube.get(configMapType, { namespace, name }, { signal });
    const text = data?.[type];
    if (text === undefined) return undefined;
    const texts = textsOf(text);
    if (texts === undefined)
      log.warn({ configMap: name, key: type }, 'the configuration of repositories is not a JSON object');
    const { unknown: splitter } = blockSplitterOf(texts);
    if (splitter !== undefined)
      log.warn(
        { configMap: name, key: type, [blockSplitterKey]: splitter, splitterNames },
        'the configuration of repositories names a splitter that kopia does not know',
      );
    return texts;
  } catch (error) {
    if (!isNotFound(error)) throw error;
    log.warn({ configMap: name }, 'there is no ConfigMap with the configuration of repositories');
    return undefined;
  }
}

function textsOf(json: string): Record<string, string> | undefined {
  try {
    const parsed: unknown = JSON.parse(json);
    if (typeof parsed !== 'object' || parsed === null || Array.isArray(parsed)) return undefined;
    const plain = Object.entries(parsed).filter(([, value]) => ['string', 'number', 'boolean'].includes(typeof value));
    return Object.fromEntries(plain.map(([key, value]) => [key, String(value)]));
  } catch {
    return undefined;
  }
}
