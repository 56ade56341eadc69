import type { ResourceType, Unstructured } from '@lateen/api-types';
import type { BackupItemAction } from '../contract/backup-item-action.ts';

/** Served by clusters before Kubernetes 1.22. */
export const oldDefinitionType: ResourceType<Unstructured> = {
  group: 'apiextensions.k8s.io',
  version: 'v1beta1',
  resource: 'customresourcedefinitions',
  kind: 'CustomResourceDefinition',
  namespaced: false,
};

interface Definition extends Unstructured {
  spec: {
    preserveUnknownFields?: boolean;
    versions?: { schema?: { openAPIV3Schema?: object } }[];
  };
  status?: { conditions?: { type: string; status: string }[] };
}

/**
 * A definition that was created as v1beta1 and has no structural schema cannot be created as v1, so it is stored as v1beta1. Used
 * only where the API server still serves that version.
 */
export const crdVersionAction: BackupItemAction = {
  name: 'velero.io/crd-remap-version',
  appliesTo: { includedResources: ['customresourcedefinitions.apiextensions.k8s.io'] },
  execute: async (item, { kube }, signal) => {
    if (item.apiVersion !== 'apiextensions.k8s.io/v1' || !needsOldVersion(item as Definition)) return { item };
    const key = { name: item.metadata.name ?? '' };
    return { item: await kube.get(oldDefinitionType, key, { signal, numbers: 'exact' }) };
  },
};

function needsOldVersion({ spec, status }: Definition): boolean {
  const [version, ...others] = spec.versions ?? [];
  const isNonStructural = status?.conditions?.some(
    (condition) => condition.type === 'NonStructuralSchema' && condition.status === 'True',
  );
  const hasNoSchema = version !== undefined && others.length === 0 && version.schema?.openAPIV3Schema === undefined;
  return spec.preserveUnknownFields === true || isNonStructural === true || hasNoSchema;
}
