import type { KubeObject, LabelSelector, ResourceType } from '@lateen/api-types';

/** policy/v1: how many of the selected pods an eviction (`kubectl drain`) must keep. */
export interface PodDisruptionBudget extends KubeObject {
  spec: { selector?: LabelSelector; minAvailable?: number | string; [field: string]: unknown };
}

export const podDisruptionBudgetType: ResourceType<PodDisruptionBudget> = {
  group: 'policy',
  version: 'v1',
  kind: 'PodDisruptionBudget',
  resource: 'poddisruptionbudgets',
  namespaced: true,
};
