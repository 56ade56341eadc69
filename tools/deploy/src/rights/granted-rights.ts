import type { Unstructured } from '@lateen/kube';

/** One verb on one resource that a service account may use. */
export interface Right {
  /** The service account: `namespace/name`. */
  subject: string;
  /** Empty for the core group. */
  group: string;
  /** With the subresource: `pods/log`. */
  resource: string;
  verb: string;
  /** The namespace; absent: cluster-wide, and for cluster-scoped objects. */
  namespace?: string;
  /** The role that grants it, for display: `ClusterRole lateen-node-agent`. */
  role: string;
}

interface Rule {
  apiGroups?: string[];
  resources?: string[];
  verbs: string[];
}

interface Role extends Unstructured {
  rules?: Rule[];
}

interface Binding extends Unstructured {
  roleRef: { kind: string; name: string };
  subjects?: { kind: string; name: string; namespace?: string }[];
}

/** Every permission that the bindings among these objects grant, one by one. Roles without a binding grant none. */
export function grantedRights(objects: readonly Unstructured[]): Right[] {
  const bindings = objects.filter(({ kind }) => kind === 'RoleBinding' || kind === 'ClusterRoleBinding') as Binding[];
  return bindings.flatMap((binding) => {
    const { namespace } = binding.metadata;
    const { kind, name } = binding.roleRef;
    const isThat = (object: Unstructured): boolean =>
      object.kind === kind &&
      object.metadata.name === name &&
      (kind === 'ClusterRole' || object.metadata.namespace === namespace);
    const rules = objects.filter(isThat).flatMap((role) => (role as Role).rules ?? []);
    const accounts = (binding.subjects ?? []).filter((subject) => subject.kind === 'ServiceAccount');
    return accounts.flatMap((account) =>
      rules.flatMap(each).map((right) => ({
        subject: `${account.namespace}/${account.name}`,
        ...right,
        ...(namespace === undefined ? {} : { namespace }),
        role: `${kind} ${name}`,
      })),
    );
  });
}

function each({ apiGroups = [], resources = [], verbs }: Rule): Pick<Right, 'group' | 'resource' | 'verb'>[] {
  return apiGroups.flatMap((group) =>
    resources.flatMap((resource) => verbs.map((verb) => ({ group, resource, verb }))),
  );
}

/** `node-agent/velero may patch pods.apps in velero (Role x)`; the same text for the same permission. */
export function rightText({ subject, verb, group, resource, namespace, role }: Right): string {
  const where = namespace === undefined ? 'everywhere' : `in ${namespace}`;
  return `${subject} may ${verb} ${group === '' ? resource : `${resource}.${group}`} ${where} (${role})`;
}
