import { type ConfigMap, configMapType, labels } from '@lateen/api-types';
import { AppError } from '@lateen/errors';
import { listAll } from '@lateen/kube';
import type { RestoreActionContext } from '../contract/restore-item-action.ts';
import { perRestore } from '../per-run.ts';

/** What users tell an action: the data of the ConfigMap that carries its name, or undefined when there is none. */
export type ActionConfig = (
  context: RestoreActionContext,
  signal: AbortSignal,
) => Promise<Readonly<Record<string, string>> | undefined>;

/**
 * Finds the ConfigMap of a restore action in the namespace of the installation, by its labels (api.md section 17.6). Read once per restore.
 * @throws ACTION_CONFIG_AMBIGUOUS when several carry its name
 */
export function actionConfig(action: string): ActionConfig {
  return perRestore(async ({ kube, veleroNamespace: namespace }, signal) => {
    const labelSelector = `${labels.pluginConfig},${action}=RestoreItemAction`;
    const { items } = await listAll<ConfigMap>(kube, configMapType, { namespace, labelSelector, signal });
    if (items.length > 1)
      throw new AppError(
        'ACTION_CONFIG_AMBIGUOUS',
        `several ConfigMaps are labelled as the configuration of ${action}`,
        {
          nextStep: `Leave the labels on one of them: ${items.map(({ metadata }) => metadata.name).join(', ')}.`,
        },
      );
    return items[0] === undefined ? undefined : (items[0].data ?? {});
  });
}
