import { AppError } from '@lateen/errors';
import { type Clock, orAborted } from '@lateen/kernel';
import { type DiscoveredType, type Discovery, type Exchange, matchResourceType } from '@lateen/kube';
import { fetchResources } from './fetch-resources.ts';

/** Kinds come and go with CRDs; between two unknown names in a row the server is asked at most this often. */
const cacheMsMax = 600_000;
const missMsMin = 5_000;

export function discovery(exchange: Exchange, clock: Clock): Discovery {
  let cached: { types: readonly DiscoveredType[]; atMs: number } | undefined;
  let fetching: Promise<readonly DiscoveredType[]> | undefined;

  // Shared by concurrent callers, so no caller's signal may end it; the transport's own limits do.
  const fetchOnce = () => {
    fetching ??= fetchResources(exchange)
      .then((types) => {
        cached = { types, atMs: clock.monotonicMs() };
        return types;
      })
      .finally(() => {
        fetching = undefined;
      });
    return fetching;
  };
  const ageMs = () => (cached === undefined ? Number.POSITIVE_INFINITY : clock.monotonicMs() - cached.atMs);
  const types = async (maxAgeMs: number, signal: AbortSignal | undefined) => {
    if (cached !== undefined && ageMs() < maxAgeMs) return cached.types;
    return orAborted(fetchOnce(), signal);
  };

  return {
    resourceTypes: ({ fresh = false, signal } = {}) => types(fresh ? 0 : cacheMsMax, signal),
    findResourceType: async (query, { signal } = {}) => {
      const found =
        matchResourceType(await types(cacheMsMax, signal), query) ??
        matchResourceType(await types(missMsMin, signal), query);
      if (found !== undefined) return found;
      const name = typeof query === 'string' ? query : `${query.kind} of ${query.group || 'the core group'}`;
      throw new AppError('KUBE_RESOURCE_UNKNOWN', `the API server has no resource type "${name}"`, {
        nextStep: 'Check the spelling, and that its CustomResourceDefinition is installed',
      });
    },
  };
}
