import { groupResourceText } from '@lateen/kube';
import type { ResourceVerdict } from '../resources/resource-choice.ts';
import type { FineFilters } from './fine-filters.ts';

/** Kinds that a fine-grained policy lists in vain; for the log, since Velero lets them be. */
export function fineFilterWarnings(
  namespaced: readonly FineFilters[],
  clusterScoped: FineFilters | undefined,
  resource: (groupResource: string, namespaced: boolean) => ResourceVerdict,
): string[] {
  return [
    ...namespaced.flatMap((policy) => warningsOf(policy, true, resource)),
    ...(clusterScoped === undefined ? [] : warningsOf(clusterScoped, false, resource)),
  ];
}

function warningsOf(
  { where, kinds }: FineFilters,
  forNamespaced: boolean,
  resource: (groupResource: string, namespaced: boolean) => ResourceVerdict,
): string[] {
  return kinds.flatMap(({ written, type }) => {
    if (type === undefined) return [`${where} lists ${written}, which this cluster does not know`];
    if (type.namespaced !== forNamespaced) {
      const scope = type.namespaced ? 'namespaced' : 'cluster-scoped';
      return [`${where} lists ${written}, which has no effect there: it is ${scope}`];
    }
    const { listed, additional } = resource(groupResourceText(type), type.namespaced);
    // What comes along with others is narrowed by the policy also when it is not listed.
    const why = forNamespaced ? listed : additional;
    return why === undefined ? [] : [`${where} lists ${written}, which has no effect: ${why}`];
  });
}
