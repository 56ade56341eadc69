import type { KubeObject, Unstructured } from '@lateen/kube';
import type { ServerState } from './server-state.ts';

const rbac = 'rbac.authorization.k8s.io';

interface Review extends KubeObject {
  spec: {
    user?: string;
    groups?: string[];
    resourceAttributes?: { verb?: string; group?: string; resource?: string; namespace?: string };
  };
}

interface Subject {
  kind: string;
  name: string;
  namespace?: string;
}

interface Binding extends Unstructured {
  roleRef: { kind: string; name: string };
  subjects?: Subject[];
}

interface Rule {
  verbs?: string[];
  apiGroups?: string[];
  resources?: string[];
  resourceNames?: string[];
}

/** Roles that the API server itself creates at its start. */
const builtInRules: Readonly<Record<string, readonly Rule[]>> = {
  'cluster-admin': [{ verbs: ['*'], apiGroups: ['*'], resources: ['*'] }],
};

/** The answer of RBAC to a SubjectAccessReview, computed from the stored roles and bindings. Nothing is stored. */
export function reviewAccess(state: ServerState, review: Review): Review & { status: object } {
  const { namespace = '' } = review.spec.resourceAttributes ?? {};
  const bindings = [
    ...objects(state, `${rbac}/ClusterRoleBinding`),
    ...objects(state, `${rbac}/RoleBinding`).filter(({ metadata }) => metadata.namespace === namespace),
  ] as Binding[];
  const granting = bindings.find(
    (binding) =>
      (binding.subjects ?? []).some((subject) => isMeant(subject, review)) &&
      rulesOf(state, binding).some((rule) => allows(rule, review)),
  );
  if (granting === undefined) return { ...review, status: { allowed: false } };
  const { kind, metadata, roleRef } = granting;
  const reason = `RBAC: allowed by ${kind} "${metadata.name}" of ${roleRef.kind} "${roleRef.name}"`;
  return { ...review, status: { allowed: true, reason } };
}

const objects = (state: ServerState, typeKey: string): Unstructured[] =>
  state.store.entries(typeKey).map(({ object }) => object);

function isMeant({ kind, name, namespace }: Subject, { spec: { user, groups = [] } }: Review): boolean {
  if (kind === 'Group') return groups.includes(name);
  return user === (kind === 'ServiceAccount' ? `system:serviceaccount:${namespace}:${name}` : name);
}

function rulesOf(state: ServerState, { roleRef, metadata }: Binding): readonly Rule[] {
  const key = roleRef.kind === 'Role' ? { namespace: metadata.namespace, name: roleRef.name } : { name: roleRef.name };
  const role = state.store.get(`${rbac}/${roleRef.kind}`, key)?.object as { rules?: Rule[] } | undefined;
  return role?.rules ?? builtInRules[roleRef.name] ?? [];
}

/** A review without an object name covers all objects. */
function allows({ verbs, apiGroups, resources, resourceNames = [] }: Rule, { spec }: Review): boolean {
  const { verb = '', group = '', resource = '' } = spec.resourceAttributes ?? {};
  const has = (list: readonly string[] = [], value: string): boolean => list.includes('*') || list.includes(value);
  return resourceNames.length === 0 && has(verbs, verb) && has(apiGroups, group) && has(resources, resource);
}
