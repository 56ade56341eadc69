import { groupResourceText } from '@lateen/kube';
import type { ResourceVerdict } from '../resources/resource-choice.ts';
import type { FineFilters } from './fine-filters.ts';

/** Warnings about kinds that a fine-grained policy lists without effect; for the log, because Velero accepts them. */
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
    // The policy also narrows objects that come along as additional items, even if their kind is not listed.
    const why = forNamespaced ? listed : additional;
    return why === undefined ? [] : [`${where} lists ${written}, which has no effect: ${why}`];
  });
}
