import { type ConfigMap, configMapType } from '@lateen/api-types';
import { describeError } from '@lateen/errors';
import { parseResourcePolicies, type ResourcePolicies } from '@lateen/item-filters';
import type { KubeApi } from '@lateen/kube';

export type PoliciesReading = { policies: ResourcePolicies | undefined } | { error: string };

/** The policies of a ConfigMap, none when no name is given; errors as texts for `status.validationErrors`. */
export async function readPolicies(
  { kube, namespace }: { kube: KubeApi; namespace: string },
  name: string | undefined,
  signal: AbortSignal,
): Promise<PoliciesReading> {
  if (name === undefined) return { policies: undefined };
  let configMap: ConfigMap;
  try {
    configMap = await kube.get(configMapType, { namespace, name }, { signal });
  } catch (error) {
    signal.throwIfAborted();
    return { error: `fail to get ResourcePolicies ${namespace}/${name} ConfigMap with error ${describeError(error)}` };
  }
  try {
    return { policies: parseResourcePolicies(configMap) };
  } catch (error) {
    return { error: error instanceof Error ? error.message : String(error) };
  }
}
