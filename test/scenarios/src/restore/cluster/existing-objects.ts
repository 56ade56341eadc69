import type { KubeObject } from '@lateen/api-types';
import type { Dice } from '../../simulation/dice.ts';

/** Kinds that every cluster has, or that could prevent the restore of others. */
const left = new Set(['Namespace', 'ResourceQuota']);

/** Objects that exist before the restore: unchanged, changed, and changed in immutable fields. */
export function existingObjects(source: readonly KubeObject[], dice: Dice): KubeObject[] {
  const some = source.filter(({ kind }) => !left.has(kind) && dice.chance(0.25));
  const definitions = source.filter(({ kind }) => kind === 'CustomResourceDefinition');
  const kinds = new Set(some.map(({ apiVersion, kind }) => `${apiVersion.split('/')[0]} ${kind}`));
  const needed = definitions.filter((definition) => {
    const { spec } = definition as KubeObject & { spec: { group: string; names: { kind: string } } };
    return kinds.has(`${spec.group} ${spec.names.kind}`) && !some.includes(definition);
  });
  return [...needed, ...some.map((object) => dice.pick([same, changed, fixedChanged])(object))];
}

const same = (object: KubeObject): KubeObject => ofThisCluster(object);

const changed = (object: KubeObject): KubeObject => {
  const here = ofThisCluster(object);
  return { ...here, metadata: { ...here.metadata, labels: { ...here.metadata.labels, changed: 'here' } } };
};

/** Changes an immutable field, if the kind has one. */
function fixedChanged(object: KubeObject): KubeObject {
  const here = changed(object) as KubeObject & { spec?: object };
  const fixed: Record<string, () => object> = {
    ClusterRoleBinding: () => ({
      roleRef: { apiGroup: 'rbac.authorization.k8s.io', kind: 'ClusterRole', name: 'other' },
    }),
    ConfigMap: () => ({ immutable: true, data: { v: 'other' } }),
    Deployment: () => ({ spec: { ...here.spec, selector: { matchLabels: { name: 'other' } } } }),
    Job: () => ({ spec: { ...here.spec, completionMode: 'Indexed' } }),
    PersistentVolumeClaim: () => ({ spec: { ...here.spec, storageClassName: 'other' } }),
    PriorityClass: () => ({ value: 1 }),
    RoleBinding: () => ({ roleRef: { apiGroup: 'rbac.authorization.k8s.io', kind: 'Role', name: 'other' } }),
    Secret: () => ({ type: 'example.com/other' }),
    StatefulSet: () => ({ spec: { ...here.spec, serviceName: 'other' } }),
    StorageClass: () => ({ provisioner: 'other.example.com' }),
  };
  return { ...here, ...fixed[here.kind]?.() };
}

function ofThisCluster(object: KubeObject): KubeObject {
  const { uid: _u, resourceVersion: _v, ownerReferences: _o, managedFields: _m, ...metadata } = object.metadata;
  return { ...object, metadata };
}
