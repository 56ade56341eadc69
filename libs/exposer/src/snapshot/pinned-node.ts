import { type NodeSelectorTerm, nodeType } from '@lateen/api-types';
import { type KubeApi, selectorText } from '@lateen/kube';

/**
 * The one node that the terms allow, or undefined when there is a choice. With one node, the claim is provisioned before the pod
 * is scheduled; otherwise the scheduler chooses, and then checks each second whether the volume exists.
 */
export async function pinnedNode(
  kube: KubeApi,
  terms: readonly NodeSelectorTerm[],
  signal: AbortSignal,
): Promise<string | undefined> {
  const [term, ...others] = terms;
  if (term === undefined || others.length > 0 || term.matchFields !== undefined) return undefined;
  const { matchExpressions = [] } = term;
  if (matchExpressions.length === 0 || !matchExpressions.every(({ operator }) => operators.includes(operator))) {
    return undefined;
  }
  const labelSelector = selectorText({ matchExpressions });
  // Two are enough to know that there is a choice.
  const { items, continue: more } = await kube.list(nodeType, { labelSelector, limit: 2, signal });
  const [node] = items;
  if (items.length !== 1 || more !== undefined || node?.spec?.unschedulable === true) return undefined;
  return node?.metadata.name;
}

/** The operators of label selectors, which have no `Gt` and `Lt`. */
const operators: readonly string[] = ['In', 'NotIn', 'Exists', 'DoesNotExist'];
