import { type KubeApi, listAll, type Unstructured } from '@lateen/kube';
import { typeOf } from '@lateen/manifests';

interface Binding extends Unstructured {
  roleRef: { kind: string; name: string };
  subjects?: { kind: string; name: string; namespace?: string }[];
}

const labelSelector = 'app.kubernetes.io/part-of=lateen';
const apiVersion = 'rbac.authorization.k8s.io/v1';
const typeFor = (kind: string) => typeOf({ apiVersion, kind, metadata: {} });

/**
 * Returns our ClusterRoleBindings whose subjects are all in this namespace, and our ClusterRoles without other bindings. Bindings come first.
 * They are recognized by their contents and not by name, so that those of older versions are included.
 */
export async function clusterRights(kube: KubeApi, namespace: string, signal: AbortSignal): Promise<Unstructured[]> {
  const [bindings, roles] = await Promise.all([
    listAll(kube, typeFor('ClusterRoleBinding'), { signal }),
    listAll(kube, typeFor('ClusterRole'), { labelSelector, signal }),
  ]);
  const all = bindings.items as Binding[];
  const isOfThis = ({ subjects = [], metadata }: Binding): boolean =>
    metadata.labels?.['app.kubernetes.io/part-of'] === 'lateen' &&
    subjects.length > 0 &&
    subjects.every((subject) => subject.namespace === namespace);
  const gone = all.filter(isOfThis);
  const stay = all.filter((binding) => !isOfThis(binding));
  const names = (of: readonly Binding[]) => new Set(of.map(({ roleRef }) => roleRef.name));
  const [released, needed] = [names(gone), names(stay)];
  const unused = roles.items.filter(({ metadata: { name = '' } }) => released.has(name) && !needed.has(name));
  return [
    ...gone.map((binding) => ({ ...binding, apiVersion, kind: 'ClusterRoleBinding' })),
    ...unused.map((role) => ({ ...role, apiVersion, kind: 'ClusterRole' })),
  ];
}
