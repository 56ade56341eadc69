import type { LabelSelector, LabelSelectorRequirement } from '@lateen/api-types';
import { readConditions } from './read-conditions.ts';
import type { FineResourceFilter, KindRequirement, VolumePolicyAction } from './resource-policies.ts';
import { volumeActionTypes } from './resource-policies.ts';
import { yamlTree } from './yaml-tree.ts';
import {
  PolicyFileError,
  type ReadValue,
  readAnything,
  readList,
  readMapOf,
  readObject,
  readText,
  readTextMap,
  readTexts,
} from './yaml-values.ts';

/** Reads a policy file: every key must be known and every value of its type; the policies as a whole are checked elsewhere. */
export const readPolicyFile = (source: string) => readFile(yamlTree(source), '');

const readAction: ReadValue<VolumePolicyAction> = (node, where) => {
  const { type: given = '', parameters } = readObject({ type: readText, parameters: readMapOf(readAnything) })(
    node,
    where,
  );
  const type = volumeActionTypes.find((each) => each === given);
  if (type === undefined) throw new PolicyFileError(node.line, `invalid action type ${given}`);
  if (parameters === undefined) return { type };
  if (type !== 'snapshot') return { type, parameters };
  const { dataMover, snapshotClass } = parameters;
  for (const [name, value] of Object.entries({ dataMover, snapshotClass })) {
    if (value === undefined || typeof value === 'string') continue;
    throw new PolicyFileError(node.line, `${where}.parameters.${name} must be a string`);
  }
  return {
    type,
    parameters,
    ...(dataMover === undefined || dataMover === '' ? {} : { dataMover: dataMover as string }),
    ...(snapshotClass === undefined || snapshotClass === '' ? {} : { snapshotClass: snapshotClass as string }),
  };
};

const readRequirement: ReadValue<LabelSelectorRequirement> = (node, where) => {
  const {
    key = '',
    operator = '',
    values,
  } = readObject<Required<LabelSelectorRequirement>>({
    key: readText,
    operator: readText,
    values: readTexts,
  })(node, where);
  return { key, operator, ...(values === undefined ? {} : { values }) };
};

export const readSelector: ReadValue<LabelSelector> = readObject<Required<LabelSelector>>({
  matchLabels: readTextMap,
  matchExpressions: readList(readRequirement),
});

/** One filter as in the file; `labelSelector` and `orLabelSelectors` stay separate, so that using both can be refused. */
export type WrittenFilter = Partial<Omit<FineResourceFilter, 'labelSelectors'>> & {
  labelSelector?: LabelSelector;
  orLabelSelectors?: LabelSelector[];
};

const readFilters: ReadValue<WrittenFilter[]> = readList(
  readObject<Required<WrittenFilter>>({
    kinds: readTexts,
    labelSelector: readSelector,
    orLabelSelectors: readList(readSelector),
    names: readTexts,
    excludedNames: readTexts,
  }),
);

const readLists = readObject({
  includedClusterScopedResources: readTexts,
  excludedClusterScopedResources: readTexts,
  includedNamespaceScopedResources: readTexts,
  excludedNamespaceScopedResources: readTexts,
  includedNamespacesByLabel: readTexts,
  excludedNamespacesByLabel: readTexts,
  labelSelectorLogic: readText,
});

const readFile = readObject({
  version: readText,
  volumePolicies: readList(readObject({ conditions: readConditions, action: readAction })),
  includeExcludePolicy: readLists,
  namespacedFilterPolicies: readList(readObject({ namespaces: readTexts, resourceFilters: readFilters })),
  clusterScopedFilterPolicy: readObject({ resourceFilters: readFilters }),
  restoreOrder: readList(readObject<KindRequirement>({ groupKind: readText, requires: readTexts })),
});

export type PolicyFile = ReturnType<typeof readFile>;
