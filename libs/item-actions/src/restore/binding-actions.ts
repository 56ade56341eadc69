import type { Unstructured } from '@lateen/api-types';
import type { RestoreItemAction } from '../contract/restore-item-action.ts';

interface Binding extends Unstructured {
  subjects?: { namespace?: string; [field: string]: unknown }[] | null;
}

/** Changes the namespaces of a binding's subjects to those of the restore. */
export const roleBindingActions: readonly RestoreItemAction[] = [
  bindingAction('velero.io/role-bindings', 'rolebindings.rbac.authorization.k8s.io'),
  bindingAction('velero.io/cluster-role-bindings', 'clusterrolebindings.rbac.authorization.k8s.io'),
];

function bindingAction(name: string, resource: string): RestoreItemAction {
  return {
    name,
    appliesTo: { includedResources: [resource] },
    execute: async ({ item }, { mappedNamespace }) => {
      const { subjects } = item as Binding;
      if (!Array.isArray(subjects)) return { updatedItem: item };
      const mapped = subjects.map((subject) =>
        typeof subject.namespace === 'string' ? { ...subject, namespace: mappedNamespace(subject.namespace) } : subject,
      );
      return { updatedItem: { ...item, subjects: mapped } };
    },
  };
}
