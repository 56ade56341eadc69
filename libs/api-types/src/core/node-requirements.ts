import type { LabelSelector } from '../meta/label-selector.ts';
import type { NodeSelectorRequirement } from './scheduling.ts';

/** What a node must fulfil to be selected, as a pod's node affinity says it; all of it. Nothing is selected by: any node. */
export function nodeRequirements(selector: LabelSelector | undefined): NodeSelectorRequirement[] {
  const { matchLabels = {}, matchExpressions = [] } = selector ?? {};
  return [
    ...Object.entries(matchLabels).map(([key, value]) => ({ key, operator: 'In' as const, values: [value] })),
    ...matchExpressions.map(({ key, operator, values = [] }) => ({
      key,
      operator: operator as NodeSelectorRequirement['operator'],
      ...(values.length === 0 ? {} : { values }),
    })),
  ];
}
