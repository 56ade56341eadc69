import type { Unstructured } from '@lateen/api-types';
import { type DiscoveredType, listAll, type ResourceType } from '@lateen/kube';
import type { EngineParts } from '../engine-parts.ts';

const apiServices: ResourceType<Unstructured> = {
  group: 'apiregistration.k8s.io',
  version: 'v1',
  resource: 'apiservices',
  kind: 'APIService',
  namespaced: false,
};

/** API groups of metrics: momentary values that cannot be created again. */
const figures = ['metrics.k8s.io', 'custom.metrics.k8s.io', 'external.metrics.k8s.io'];

interface ApiServiceSpec {
  group?: string;
  service?: object | null;
}

/**
 * Logs API groups that discovery does not know because their own server is down: their objects are unknown, so a backup that takes any
 * resource is incomplete without them.
 */
export async function tellDownGroups(
  { ports, request, calls, types }: EngineParts,
  signal: AbortSignal,
): Promise<void> {
  const { kube, log } = ports;
  if (!types.some(({ type }) => type.group === apiServices.group && type.resource === apiServices.resource)) return;
  const known = new Set(request.types.map(({ group }) => group));
  try {
    const { items } = await calls.run((either) => listAll(kube, apiServices, { signal: either }), signal);
    for (const { spec, status } of items) {
      const { group = '', service } = (spec ?? {}) as ApiServiceSpec;
      if (!service || known.has(group) || figures.includes(group)) continue;
      const why = whyNotAvailable(status);
      if (why === undefined || request.filters.listPlan(anyTypeOf(group)) === undefined) continue;
      log.error({ resource: group, reason: why }, 'API group is not available: none of its objects are in the backup');
    }
  } catch (error) {
    signal.throwIfAborted();
    log.warn({ resource: apiServices.resource, err: error }, 'cannot tell whether every API group is available');
  }
}

function whyNotAvailable(status: unknown): string | undefined {
  const { conditions = [] } = (status ?? {}) as {
    conditions?: { type: string; status: string; reason?: string; message?: string }[];
  };
  const available = conditions.find(({ type }) => type === 'Available');
  if (available === undefined || available.status === 'True') return undefined;
  return available.message ?? available.reason ?? 'it is not available';
}

/** A type to ask the filters about resources that they do not name. */
const anyTypeOf = (group: string): DiscoveredType => ({
  group,
  version: 'v1',
  resource: 'unknown',
  kind: 'Unknown',
  namespaced: true,
  verbs: [],
  shortNames: [],
  singular: '',
  categories: [],
  subresources: [],
  preferred: true,
});
