import { type DiscoveredType, groupResourceText } from '@lateen/kube';
import type { NamespaceSelection } from '../namespaces/namespace-selection.ts';
import type { FineFilters } from '../policies/fine-filters.ts';
import { namespacesResource } from '../resources/resource-choice.ts';

/** How the objects of one type are listed. */
export interface ListPlan {
  /** `all`: one cluster-wide list; otherwise one list for each name. `all` for cluster-scoped types. */
  readonly namespaces: 'all' | readonly string[];
  /** One list for each selector; the lists may overlap. Empty: one list without a selector. */
  readonly labelSelectors: readonly string[];
}

interface PlannerInput {
  selection: NamespaceSelection;
  /** How many namespaces the cluster has. */
  live: number;
  policyOf: (namespace: string) => FineFilters | undefined;
  clusterScoped: FineFilters | undefined;
  /** The selectors of the backup. */
  selectorTexts: readonly string[];
}

/** Plans the lists; undefined for types that are not listed. */
export function listPlanner(input: PlannerInput): (type: DiscoveredType) => ListPlan | undefined {
  const groups = namespacesByPolicy(input);
  return (type) => {
    const resource = groupResourceText(type);
    if (resource === namespacesResource) return undefined;
    if (type.namespaced) return namespacedPlan(type, groups, input);
    const filter = input.clusterScoped?.of(resource, type.kind);
    return { namespaces: 'all', labelSelectors: filter?.selectorTexts ?? input.selectorTexts };
  };
}

type Groups = ReadonlyMap<FineFilters | undefined, readonly string[]>;

function namespacesByPolicy({ selection, policyOf }: PlannerInput): Groups {
  const groups = new Map<FineFilters | undefined, string[]>();
  for (const name of selection.names) {
    const policy = policyOf(name);
    const group = groups.get(policy);
    if (group === undefined) groups.set(policy, [name]);
    else group.push(name);
  }
  return groups;
}

function namespacedPlan(
  type: DiscoveredType,
  groups: Groups,
  { selection, live, selectorTexts }: PlannerInput,
): ListPlan | undefined {
  const resource = groupResourceText(type);
  const names: string[] = [];
  const selectors = new Map<string, readonly string[]>();
  for (const [policy, group] of groups) {
    const filter = policy?.of(resource, type.kind);
    if (policy !== undefined && filter === undefined) continue;
    const texts = filter?.selectorTexts ?? selectorTexts;
    selectors.set(texts.join('\n'), texts);
    names.push(...group);
  }
  if (names.length === 0) return undefined;
  const [only] = selectors.values();
  // Namespaces with different selectors are listed without any: each object is decided on individually.
  const labelSelectors = selectors.size === 1 && only !== undefined ? only : [];
  const everywhere = selection.everything && names.length === selection.names.length;
  // One list with too many objects costs less than hundreds of lists with a few objects each.
  const most = names.length > 1 && names.length * 2 > live;
  return { namespaces: everywhere || most ? 'all' : names.sort(), labelSelectors };
}
