import type { Unstructured } from '@lateen/api-types';
import type { RestoreItemAction } from '../contract/restore-item-action.ts';

interface Version {
  schema?: { openAPIV3Schema?: object };
  [field: string]: unknown;
}

interface Definition extends Unstructured {
  spec?: { preserveUnknownFields?: boolean; versions?: Version[]; [field: string]: unknown };
}

/**
 * A v1beta1 definition that preserves unknown fields cannot be created as v1, where each schema must state it. Definitions that
 * were created as v1beta1 are stored in that form.
 */
export const crdPreserveFieldsAction: RestoreItemAction = {
  name: 'velero.io/crd-preserve-fields',
  appliesTo: { includedResources: ['customresourcedefinitions.apiextensions.k8s.io'] },
  execute: async ({ item }) => {
    const { spec } = item as Definition;
    if (item.apiVersion !== 'apiextensions.k8s.io/v1' || spec?.preserveUnknownFields !== true)
      return { updatedItem: item };
    const versions = (spec.versions ?? []).map(keepingUnknown);
    return { updatedItem: { ...item, spec: { ...spec, preserveUnknownFields: false, versions } } };
  },
};

const keepingUnknown = (version: Version): Version => ({
  ...version,
  schema: {
    ...version.schema,
    openAPIV3Schema: {
      type: 'object',
      ...version.schema?.openAPIV3Schema,
      'x-kubernetes-preserve-unknown-fields': true,
    },
  },
});
