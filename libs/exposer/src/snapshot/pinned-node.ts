import { type NodeSelectorRequirement, type NodeSelectorTerm, nodeType } from '@lateen/api-types';
import type { KubeApi } from '@lateen/kube';

/**
 * The one node that the terms leave, or undefined when there is a choice. With it the claim is provisioned before the
 * pod is scheduled; otherwise the scheduler chooses and then asks each second whether the volume is there.
 */
export async function pinnedNode(
  kube: KubeApi,
  terms: readonly NodeSelectorTerm[],
  signal: AbortSignal,
): Promise<string | undefined> {
  const [term, ...others] = terms;
  if (term === undefined || others.length > 0 || term.matchFields !== undefined) return undefined;
  const labelSelector = selectorText(term.matchExpressions ?? []);
  if (labelSelector === undefined) return undefined;
  // Two are enough to know that there is a choice.
  const { items, continue: more } = await kube.list(nodeType, { labelSelector, limit: 2, signal });
  const [node] = items;
  if (items.length !== 1 || more !== undefined || node?.spec?.unschedulable === true) return undefined;
  return node?.metadata.name;
}

/** Undefined when nothing is required, or something that label selectors cannot say. */
function selectorText(requirements: readonly NodeSelectorRequirement[]): string | undefined {
  const parts = requirements.map(({ key, operator, values = [] }) => {
    switch (operator) {
      case 'In':
        return `${key} in (${values.join(',')})`;
      case 'NotIn':
        return `${key} notin (${values.join(',')})`;
      case 'Exists':
        return key;
      case 'DoesNotExist':
        return `!${key}`;
      default:
        return undefined;
    }
  });
  return parts.length === 0 || parts.includes(undefined) ? undefined : parts.join(',');
}
