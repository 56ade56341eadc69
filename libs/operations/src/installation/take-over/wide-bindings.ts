import type { Unstructured } from '@lateen/kube';

/** A subject of a binding (rbac.authorization.k8s.io/v1). */
export interface Subject {
  kind: string;
  name: string;
  namespace?: string;
}

export interface ClusterRoleBinding extends Unstructured {
  roleRef: { kind: string; name: string };
  subjects?: Subject[];
}

/** A binding that gives service accounts of the installation every right in the cluster. */
export interface WideBinding {
  binding: ClusterRoleBinding;
  /** Names of those service accounts. */
  accounts: string[];
  /** The other subjects of the binding; an empty list: the binding has no other purpose. */
  others: Subject[];
}

/** The user name of a service account in RBAC and in access reviews. */
export const userOf = (namespace: string, account: string): string => `system:serviceaccount:${namespace}:${account}`;

/** The service account of the namespace that the subject means; a subject may name it as a user too. */
function accountOf({ kind, name, namespace: where }: Subject, namespace: string): string | undefined {
  if (kind === 'ServiceAccount') return where === namespace ? name : undefined;
  const prefix = userOf(namespace, '');
  return kind === 'User' && name.startsWith(prefix) ? name.slice(prefix.length) : undefined;
}

/** The bindings of these service accounts to cluster-admin, whatever the names of the bindings. Pure. */
export function wideBindings(
  bindings: readonly ClusterRoleBinding[],
  namespace: string,
  accounts: ReadonlySet<string>,
): WideBinding[] {
  return bindings.flatMap((binding) => {
    if (binding.roleRef.kind !== 'ClusterRole' || binding.roleRef.name !== 'cluster-admin') return [];
    const subjects = binding.subjects ?? [];
    const isOfInstallation = (subject: Subject) => accounts.has(accountOf(subject, namespace) ?? '');
    const theirs = subjects.filter(isOfInstallation);
    if (theirs.length === 0) return [];
    return [
      {
        binding,
        accounts: [...new Set(theirs.map((subject) => accountOf(subject, namespace) ?? ''))],
        others: subjects.filter((subject) => !isOfInstallation(subject)),
      },
    ];
  });
}
