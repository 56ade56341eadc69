import type { KindDefinition } from '@lateen/api-types/definitions';
import type { StructuralSchema } from './structural-schema.ts';

/** The CRD of a kind: one version, served and stored. */
export function customResourceDefinition(definition: KindDefinition, schema: StructuralSchema) {
  const { type, shortNames, columns } = definition;
  return {
    apiVersion: 'apiextensions.k8s.io/v1',
    kind: 'CustomResourceDefinition',
    metadata: { name: `${type.resource}.${type.group}` },
    spec: {
      group: type.group,
      names: {
        kind: type.kind,
        listKind: `${type.kind}List`,
        plural: type.resource,
        singular: type.kind.toLowerCase(),
        ...(shortNames === undefined ? {} : { shortNames }),
      },
      scope: type.namespaced ? 'Namespaced' : 'Cluster',
      versions: [
        {
          name: type.version,
          served: true,
          storage: true,
          schema: { openAPIV3Schema: schema },
          ...(columns === undefined ? {} : { additionalPrinterColumns: columns }),
          ...subresources(definition),
        },
      ],
    },
  };
}

/** Kinds of velero.io have no status sub-resource (api.md section 1), those of longhorn.io have one. */
function subresources({ emptySubresources, statusSubresource }: KindDefinition) {
  if (statusSubresource) return { subresources: { status: {} } };
  return emptySubresources ? { subresources: {} } : {};
}
