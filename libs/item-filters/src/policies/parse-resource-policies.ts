import type { BackupSpec, ConfigMap } from '@lateen/api-types';
import { AppError, quoted } from '@lateen/errors';
import { keyOf, keyText } from '@lateen/kube';
import { checkClusterScopedPolicy, checkNamespacedPolicies, resourceFilters } from './check-filter-policies.ts';
import { includeExcludePolicy } from './check-include-exclude.ts';
import { conditionWarnings } from './read-conditions.ts';
import { type PolicyFile, readPolicyFile } from './read-policies.ts';
import type { KindRequirement, ResourcePolicies } from './resource-policies.ts';
import { yamlProblem } from './yaml-tree.ts';

const supportedVersion = 'v1';

/** The size limit: a policy file has a few kilobytes, but a ConfigMap may hold a megabyte, and every backup reads it. */
const charsMax = 256 * 1024;

/**
 * The name of the ConfigMap with the policies of a backup or restore; undefined when it has none. The kind is compared without regard to
 * case (api.md section 2), and kinds other than ConfigMap are not policies.
 */
export const policyConfigMapOf = ({
  resourcePolicy: policy,
}: {
  resourcePolicy?: BackupSpec['resourcePolicy'] | null;
}): string | undefined => (policy?.kind.toLowerCase() === 'configmap' ? policy.name : undefined);

/**
 * Parses the ConfigMap. All scalars are read as strings; an unknown key is an error, because a misspelled rule would otherwise have no
 * effect without anybody noticing.
 * @throws RESOURCE_POLICIES_UNREADABLE, RESOURCE_POLICIES_INVALID; the message is the whole text for `status.validationErrors`
 */
export function parseResourcePolicies(configMap: ConfigMap): ResourcePolicies {
  const name = keyText(keyOf(configMap));
  const file = unreadableUnless(name, () => readPolicyFile(onlyText(configMap, name)));
  try {
    return checked(file);
  } catch (error) {
    throw new AppError(
      'RESOURCE_POLICIES_INVALID',
      `fail to validate ResourcePolicies in ConfigMap ${name} with error ${yamlProblem(error)}`,
      { cause: error, nextStep },
    );
  }
}

const nextStep = 'Correct the ConfigMap; docs/filters.md describes it.';

function unreadableUnless<T>(name: string, read: () => T): T {
  try {
    return read();
  } catch (error) {
    throw new AppError(
      'RESOURCE_POLICIES_UNREADABLE',
      `fail to read the ResourcePolicies from ConfigMap ${name} with error ${yamlProblem(error)}`,
      { cause: error, nextStep },
    );
  }
}

function onlyText({ data = {}, binaryData = {} }: ConfigMap, name: string): string {
  const [text, ...others] = Object.values(data);
  if (text === undefined || others.length > 0 || Object.keys(binaryData).length > 0) {
    throw new Error(`illegal resource policies ${name} configmap: it must have exactly one key in data`);
  }
  if (text.length > charsMax)
    throw new Error(`illegal resource policies ${name} configmap: longer than ${charsMax} characters`);
  return text;
}

function checked(file: PolicyFile): ResourcePolicies {
  if (file.version !== supportedVersion) {
    throw new Error(`incompatible version number ${file.version ?? ''} with supported version ${supportedVersion}`);
  }
  const volumePolicies = (file.volumePolicies ?? []).map(({ conditions = {}, action }, index) => {
    if (action === undefined) throw new Error(`volumePolicies[${index}]: invalid action type`);
    return { conditions, action };
  });
  const namespaced = (file.namespacedFilterPolicies ?? []).map(({ namespaces = [], resourceFilters = [] }) => ({
    namespaces,
    resourceFilters,
  }));
  checkNamespacedPolicies(namespaced);
  const ofCluster = file.clusterScopedFilterPolicy && (file.clusterScopedFilterPolicy.resourceFilters ?? []);
  if (ofCluster !== undefined) checkClusterScopedPolicy(ofCluster);
  return {
    volumePolicies,
    namespacedFilterPolicies: namespaced.map((policy) => ({
      ...policy,
      resourceFilters: resourceFilters(policy.resourceFilters),
    })),
    ...(file.includeExcludePolicy === undefined
      ? {}
      : { includeExcludePolicy: includeExcludePolicy(file.includeExcludePolicy) }),
    ...(ofCluster === undefined ? {} : { clusterScopedFilterPolicy: { resourceFilters: resourceFilters(ofCluster) } }),
    ...(file.restoreOrder === undefined ? {} : { restoreOrder: file.restoreOrder.map(checkedRequirement) }),
    warnings: volumePolicies.flatMap(({ conditions }, index) =>
      conditionWarnings(conditions, `volumePolicies[${index}].conditions`),
    ),
  };
}

function checkedRequirement(
  { groupKind = '', requires = [] }: Partial<KindRequirement>,
  index: number,
): KindRequirement {
  if (groupKind === '') throw new Error(`restoreOrder[${index}]: it has no groupKind`);
  if (requires.length === 0) throw new Error(`restoreOrder[${index}]: it requires nothing`);
  const glob = [groupKind, ...requires].find((name) => !/^[A-Za-z0-9][A-Za-z0-9.-]*$/.test(name));
  if (glob !== undefined) throw new Error(`restoreOrder[${index}]: ${quoted(glob)} is not the name of a kind`);
  return { groupKind, requires };
}
