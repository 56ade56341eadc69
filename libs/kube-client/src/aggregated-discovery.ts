import type { DiscoveredType } from '@lateen/kube';

/** apidiscovery.k8s.io/v2 APIGroupDiscoveryList, the parts we read. v2beta1 has the same fields. */
export interface AggregatedDiscovery {
  items?: {
    metadata?: { name?: string };
    versions?: { version: string; resources?: AggregatedResource[] }[];
  }[];
}

interface AggregatedResource {
  resource: string;
  responseKind?: { group?: string; version?: string; kind?: string };
  scope: 'Namespaced' | 'Cluster';
  singularResource?: string;
  verbs?: string[];
  shortNames?: string[];
  categories?: string[];
  subresources?: { subresource: string }[];
}

/** Versions stand in order of preference; a resource's preferred version is the first that has it. */
export function typesOfAggregated(body: AggregatedDiscovery): DiscoveredType[] {
  return (body.items ?? []).flatMap((group) => {
    const seen = new Set<string>();
    return (group.versions ?? []).flatMap(({ version, resources }) =>
      (resources ?? []).map((resource) => {
        const preferred = !seen.has(resource.resource);
        seen.add(resource.resource);
        return typeOf(resource, group.metadata?.name ?? '', version, preferred);
      }),
    );
  });
}

function typeOf(from: AggregatedResource, group: string, version: string, preferred: boolean): DiscoveredType {
  return {
    group,
    version,
    resource: from.resource,
    kind: from.responseKind?.kind ?? '',
    namespaced: from.scope === 'Namespaced',
    verbs: from.verbs ?? [],
    shortNames: from.shortNames ?? [],
    singular: from.singularResource ?? '',
    categories: from.categories ?? [],
    subresources: (from.subresources ?? []).map(({ subresource }) => subresource),
    preferred,
  };
}
