export { matchesSelector, selectorText } from '@lateen/kube';
export { type BackupFilters, type BackupFiltersInput, backupFilters } from './backup/backup-filters.ts';
export { completeFilters } from './backup/complete-filters.ts';
export { type Explanation, type ExplanationStep, explainItem } from './backup/explain-item.ts';
export type { ListPlan } from './backup/list-plan.ts';
export { validateBackupFilters } from './backup/validate-backup-filters.ts';
export type { Decision, ItemFacts, ItemOrigin } from './items/item-facts.ts';
export { globProblem, globTest, isGlob, type NameTest } from './names/glob.ts';
export { anyOf, listProblems, type NameFilter, type NameLists, nameFilter } from './names/name-lists.ts';
export { namespaceListProblems } from './namespaces/namespace-names.ts';
export { type NamespaceSelection, namespaceSelection } from './namespaces/namespace-selection.ts';
export { parseResourcePolicies, policyConfigMapOf } from './policies/parse-resource-policies.ts';
export { readSelector } from './policies/read-policies.ts';
export type {
  ClusterScopedFilterPolicy,
  FineResourceFilter,
  IncludeExcludePolicy,
  KindRequirement,
  NamespacedFilterPolicy,
  NamespacesByLabel,
  ResourcePolicies,
  VolumeConditions,
  VolumePolicy,
  VolumePolicyAction,
} from './policies/resource-policies.ts';
export { yamlProblem, yamlTree } from './policies/yaml-tree.ts';
export { readList, readObject, readText, readTexts } from './policies/yaml-values.ts';
export { canBeBackedUp } from './resources/can-be-backed-up.ts';
export { type ResourceNames, resourceNames } from './resources/resource-names.ts';
export {
  type ArchivedResource,
  alwaysRestored,
  type RestoreFilters,
  type RestoreFiltersInput,
  restoreFilters,
} from './restore/restore-filters.ts';
export {
  completeRestoreFilters,
  nonRestorableResources,
  validateRestoreFilters,
} from './restore/validate-restore-filters.ts';
