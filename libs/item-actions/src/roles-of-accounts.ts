import type { ResourceType, Unstructured } from '@lateen/api-types';
import { listAll } from '@lateen/kube';
import type { ActionContext } from './contract/action-context.ts';
import type { ItemIdentifier } from './contract/item-identifier.ts';
import { perBackup } from './per-run.ts';

interface Subject {
  kind: string;
  namespace?: string;
  name: string;
}

interface ClusterRoleBinding extends Unstructured {
  roleRef: { kind: string; name: string };
  subjects?: Subject[];
}

const rbacGroup = 'rbac.authorization.k8s.io';

const bindingType: ResourceType<ClusterRoleBinding> = {
  group: rbacGroup,
  version: 'v1',
  resource: 'clusterrolebindings',
  kind: 'ClusterRoleBinding',
  namespaced: false,
};

/** The ClusterRoleBindings that name a service account, and their ClusterRoles. */
export type RolesOfAccount = (
  item: Unstructured,
  context: ActionContext,
  signal: AbortSignal,
) => Promise<readonly ItemIdentifier[]>;

/** Reads the bindings once per backup; keeps names only. */
export function rolesOfAccounts(): RolesOfAccount {
  const read = perBackup(async ({ kube }, signal) => {
    const byAccount = new Map<string, { binding: string; role: string }[]>();
    // Each binding is processed when it arrives; the list itself is not kept.
    await listAll(kube, bindingType, { signal }, (binding) => {
      for (const account of new Set(accountsOf(binding)))
        byAccount.set(account, [
          ...(byAccount.get(account) ?? []),
          { binding: binding.metadata.name ?? '', role: binding.roleRef.name },
        ]);
      return { apiVersion: '', kind: '', metadata: {}, roleRef: binding.roleRef };
    });
    return byAccount;
  });
  return async ({ metadata }, context, signal) => {
    const bound = (await read(context, signal)).get(`${metadata.namespace}:${metadata.name}`) ?? [];
    const roles = new Set(bound.map(({ role }) => role));
    return [
      ...bound.map(({ binding }) => ({ group: rbacGroup, resource: 'clusterrolebindings', name: binding })),
      ...[...roles].map((name) => ({ group: rbacGroup, resource: 'clusterroles', name })),
    ];
  };
}

const userPrefix = 'system:serviceaccount:';

/** `namespace:name` of each service account; a binding may name an account as a user too. */
function accountsOf({ subjects = [] }: ClusterRoleBinding): string[] {
  return subjects.flatMap(({ kind, namespace, name }) => {
    if (kind === 'ServiceAccount') return [`${namespace}:${name}`];
    return kind === 'User' && name.startsWith(userPrefix) ? [name.slice(userPrefix.length)] : [];
  });
}
