import { type ConfigMap, configMapType, labels } from '@lateen/api-types';
import { AppError } from '@lateen/errors';
import { type KubeApi, listAll } from '@lateen/kube';

export interface ActionConfigQuery {
  /** Namespace of the server. */
  namespace: string;
  /** The name of the action. */
  action: string;
  /** Accepted values of its label; the first is Velero's. */
  kinds: readonly [string, ...string[]];
  signal: AbortSignal;
}

/**
 * The data of the ConfigMap with which users configure an action, found by its labels (api.md section 17.6); undefined when there
 * is none.
 * @throws ACTION_CONFIG_AMBIGUOUS when several ConfigMaps have the labels
 */
export async function findActionConfig(
  kube: KubeApi,
  { namespace, action, kinds, signal }: ActionConfigQuery,
): Promise<Readonly<Record<string, string>> | undefined> {
  const ofAction = kinds.length === 1 ? `${action}=${kinds[0]}` : `${action} in (${kinds.join(',')})`;
  const labelSelector = `${labels.pluginConfig},${ofAction}`;
  const { items } = await listAll<ConfigMap>(kube, configMapType, { namespace, labelSelector, signal });
  if (items.length > 1)
    throw new AppError('ACTION_CONFIG_AMBIGUOUS', `several ConfigMaps are labelled as the configuration of ${action}`, {
      nextStep: `Leave the labels on one of them: ${items.map(({ metadata }) => metadata.name).join(', ')}.`,
    });
  return items[0] === undefined ? undefined : (items[0].data ?? {});
}
