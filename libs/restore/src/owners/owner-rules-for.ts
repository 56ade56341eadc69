import type { RestoreSpec } from '@lateen/api-types';
import type { KubeApi } from '@lateen/kube';
import { type OwnerRules, readOwnerRules } from './owner-rules.ts';

/** The rules about owner references that hold for a restore. */
export interface OwnersToUse {
  rules: OwnerRules | undefined;
  /** The ConfigMap that they are of, for the spec. */
  configMap?: string;
  /** For `status.validationErrors`: the restore names rules that cannot be used. */
  problems: readonly string[];
  /** For the log of the restore: the server's rules cannot be used, which does not stop it. */
  warnings: readonly string[];
}

export interface OwnerSources {
  kube: KubeApi;
  /** Of the installation; the ConfigMaps are there. */
  namespace: string;
  /** `--owner-ref-configmap`; absent: none. */
  defaultConfigMap: string | undefined;
}

/** The rules that a restore names, or else the server's (after-1.18.1.md 1C). @throws KUBE_… for what may pass */
export async function ownerRulesFor(
  { ownerRefConfigMap: own = '' }: Pick<RestoreSpec, 'ownerRefConfigMap'>,
  { kube, namespace, defaultConfigMap = '' }: OwnerSources,
  signal: AbortSignal,
): Promise<OwnersToUse> {
  const configMap = own || defaultConfigMap;
  if (configMap === '') return { rules: undefined, problems: [], warnings: [] };
  const read = await readOwnerRules({ kube, namespace }, configMap, signal);
  if ('rules' in read) return { rules: read.rules, configMap, problems: [], warnings: [] };
  // A restore must not end because of what its user did not ask for.
  const texts = [read.error];
  return own === ''
    ? { rules: undefined, problems: [], warnings: texts }
    : { rules: undefined, configMap, problems: texts, warnings: [] };
}
