import { isAppError } from '@lateen/errors';
import type { DiscoveredType, Exchange, PlannedRequest } from '@lateen/kube';
import { type AggregatedDiscovery, typesOfAggregated } from './aggregated-discovery.ts';
import {
  type CoreVersions,
  type GroupList,
  type GroupVersion,
  groupVersions,
  type ResourceList,
  typesOfLists,
} from './legacy-discovery.ts';

const aggregated = ['v2', 'v2beta1']
  .map((version) => `application/json;g=apidiscovery.k8s.io;v=${version};as=APIGroupDiscoveryList`)
  .join(',');

/** Requests at once in the legacy form, which asks once per group and version. */
const legacyConcurrencyMax = 8;

/**
 * All resource types, by two requests where the server knows aggregated discovery (Kubernetes 1.26 and later), else
 * by one per group and version. A group whose own server is down is left out, as kubectl does.
 */
export async function fetchResources(exchange: Exchange): Promise<readonly DiscoveredType[]> {
  const [core, groups] = await Promise.all([ask(exchange, '/api', aggregated), ask(exchange, '/apis', aggregated)]);
  const types = [...typesOf(core), ...typesOf(groups)];
  return types.length > 0 ? types : fetchLegacy(exchange, core as CoreVersions, groups as GroupList);
}

function typesOf(body: unknown): DiscoveredType[] {
  const { kind } = body as { kind?: string };
  return kind === 'APIGroupDiscoveryList' ? typesOfAggregated(body as AggregatedDiscovery) : [];
}

async function fetchLegacy(exchange: Exchange, core: CoreVersions, groups: GroupList): Promise<DiscoveredType[]> {
  const pending = groupVersions(core, groups);
  const lists: { at: GroupVersion; list: ResourceList }[] = [];
  for (let at = 0; at < pending.length; at += legacyConcurrencyMax) {
    const batch = pending.slice(at, at + legacyConcurrencyMax);
    lists.push(...(await Promise.all(batch.map(async (one) => ({ at: one, list: await resourcesOf(exchange, one) })))));
  }
  return typesOfLists(lists);
}

async function resourcesOf(exchange: Exchange, { group, version }: GroupVersion): Promise<ResourceList> {
  const path = group === '' ? `/api/${version}` : `/apis/${group}/${version}`;
  try {
    return (await ask(exchange, path, 'application/json')) as ResourceList;
  } catch (error) {
    // An aggregated API whose service is down, or a CRD removed between the two requests.
    if (isAppError(error, 'KUBE_UNAVAILABLE') && error.details.httpStatus === 503) return {};
    if (isAppError(error, 'KUBE_NOT_FOUND')) return {};
    throw error;
  }
}

function ask(exchange: Exchange, path: string, accept: string): Promise<unknown> {
  const planned: PlannedRequest = {
    method: 'GET',
    path,
    headers: { accept: `${accept},application/json` },
    purpose: `discover the resource types of ${path}`,
    streaming: false,
  };
  return exchange.json(planned);
}
