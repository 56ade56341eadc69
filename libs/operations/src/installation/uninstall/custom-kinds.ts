import { type ResourceType, veleroGroup } from '@lateen/api-types';
import { type KubeApi, type KubeObject, listAll, type Unstructured } from '@lateen/kube';

/** A kind of velero.io, or of another group, as the cluster defines it. */
export interface CustomKind {
  kind: string;
  type: ResourceType<KubeObject>;
  definition: Definition;
}

interface Definition extends Unstructured {
  spec: {
    group: string;
    names: { kind: string; plural: string };
    versions: { name: string; served?: boolean }[];
  };
}

export const definitionType: ResourceType<Definition> = {
  group: 'apiextensions.k8s.io',
  version: 'v1',
  resource: 'customresourcedefinitions',
  kind: 'CustomResourceDefinition',
  namespaced: false,
};

/** Every kind of the group that the cluster serves, including those of other versions than ours. */
export async function customKinds(kube: KubeApi, signal: AbortSignal, group = veleroGroup): Promise<CustomKind[]> {
  const { items } = await listAll(kube, definitionType, { signal });
  return items
    .filter(({ spec }) => spec.group === group)
    .map((definition) => {
      const { names, versions } = definition.spec;
      const version = (versions.find(({ served }) => served !== false) ?? versions[0])?.name ?? 'v1';
      return {
        kind: names.kind,
        definition,
        type: { group, version, kind: names.kind, resource: names.plural, namespaced: true },
      };
    });
}
