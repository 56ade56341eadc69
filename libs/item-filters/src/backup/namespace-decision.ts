import type { Namespace } from '@lateen/api-types';
import type { LabelTest } from '@lateen/kube';
import { excludedByLabel } from '../items/item-checks.ts';
import { type Decision, included, leftOut } from '../items/item-facts.ts';
import type { NamespaceSelection } from '../namespaces/namespace-selection.ts';
import type { FineFilters } from '../policies/fine-filters.ts';
import { namespacesResource, type ResourceVerdict } from '../resources/resource-choice.ts';

interface DeciderInput {
  selection: NamespaceSelection;
  resource: (groupResource: string, namespaced: boolean) => ResourceVerdict;
  clusterScoped: FineFilters | undefined;
  selector: LabelTest | undefined;
}

/**
 * Decides whether a Namespace is stored: it must be included and Active, and either chosen, matched by the selector, or contain a stored
 * object. An excluded namespace is never stored, whatever its labels.
 */
export function namespaceDecider({ selection, resource, clusterScoped, selector }: DeciderInput) {
  const fine = clusterScoped?.of(namespacesResource, 'Namespace');
  const labels = fine === undefined ? selector : fine.labels;
  return ({ metadata, status }: Namespace, hasItems: boolean): Decision => {
    const name = metadata.name ?? '';
    if (metadata.deletionTimestamp !== undefined || status?.phase === 'Terminating')
      return leftOut('it is being deleted');
    const why = excludedByLabel(metadata) ?? resource(namespacesResource, false).listed;
    if (why !== undefined) return leftOut(why);
    if (!selection.includes(name)) return leftOut(`namespace ${name} is not included`);
    if (fine?.names !== undefined && !fine.names(name)) return leftOut(`${fine.where} does not include its name`);
    if (hasItems || labels === undefined || labels(metadata.labels)) return included;
    // The namespace is named, directly or by a glob: Velero keeps it even when nothing in it matches.
    if (fine === undefined && !selection.everything) return included;
    return leftOut('its labels do not match, and no object of it is in the backup');
  };
}
