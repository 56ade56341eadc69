import type { RestoreSpec } from '@lateen/api-types';
import type { KubeApi } from '@lateen/kube';
import { type OwnerRules, readOwnerRules } from './owner-rules.ts';

/** The owner reference rules that apply to a restore. */
export interface OwnersToUse {
  rules: OwnerRules | undefined;
  /** The ConfigMap of the rules, for the spec. */
  configMap?: string;
  /** For `status.validationErrors`: the restore names rules that cannot be used. */
  problems: readonly string[];
  /** For the log of the restore: the server's rules cannot be used, which does not stop the restore. */
  warnings: readonly string[];
}

export interface OwnerSources {
  kube: KubeApi;
  /** The namespace of the installation, which has the ConfigMaps. */
  namespace: string;
  /** `--owner-ref-configmap`; absent: none. */
  defaultConfigMap: string | undefined;
}

/** The rules that a restore names, otherwise the server's (after-1.18.1.md 1C). @throws KUBE_… for temporary failures */
export async function ownerRulesFor(
  { ownerRefConfigMap: own = '' }: Pick<RestoreSpec, 'ownerRefConfigMap'>,
  { kube, namespace, defaultConfigMap = '' }: OwnerSources,
  signal: AbortSignal,
): Promise<OwnersToUse> {
  const configMap = own || defaultConfigMap;
  if (configMap === '') return { rules: undefined, problems: [], warnings: [] };
  const read = await readOwnerRules({ kube, namespace }, configMap, signal);
  if ('rules' in read) return { rules: read.rules, configMap, problems: [], warnings: [] };
  // A restore must not fail because of rules that its user did not request.
  const texts = [read.error];
  return own === ''
    ? { rules: undefined, problems: [], warnings: texts }
    : { rules: undefined, configMap, problems: texts, warnings: [] };
}
