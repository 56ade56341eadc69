import type { LimitedResource, ResourceRequirements } from '@lateen/api-types';
import { compareQuantities, parseQuantity, readAmount } from '@lateen/kube';

/** The most that a claim's annotation may ask for, by resource; zero means no bound, absent means the default. */
export type PodResourcesMax = Readonly<Partial<Record<LimitedResource, string>>>;

/** The fields of `podResourcesMax`, each with its resource. */
export const podResourcesMaxFields = [
  ['cpu', 'cpu'],
  ['memory', 'memory'],
  ['ephemeral-storage', 'ephemeralStorage'],
] as const satisfies readonly (readonly [LimitedResource, string])[];

/** More than any engine was seen to need for one volume, and little enough that one pod cannot fill a node. */
export const podResourcesMaxDefault = { cpu: '4', memory: '4Gi', 'ephemeral-storage': '32Gi' } as const;

export interface BoundedResources {
  resources: ResourceRequirements;
  /** What was changed: `limits.memory "1Ti" is "4Gi"`. */
  changes: readonly string[];
}

/**
 * Limits what a user of a namespace asks for to what the installation allows: `max`; otherwise the default or what the
 * installation itself gives such pods, whichever is more. Requests and limits above the bound are set to it. A missing limit is
 * set to it too where the installation has set anything (`max` or a limit in `own`): otherwise a user could avoid the bound by
 * leaving the limit out. Pure.
 */
export function boundPodResources(
  { requests, limits }: ResourceRequirements,
  { max, own }: { max: PodResourcesMax | undefined; own: ResourceRequirements | undefined },
): BoundedResources {
  const changes: string[] = [];
  const bounded: { requests: Record<string, string>; limits: Record<string, string> } = {
    requests: { ...requests },
    limits: { ...limits },
  };
  for (const [resource] of podResourcesMaxFields) {
    const bound = boundOf(resource, max, own);
    if (bound === undefined) continue;
    const isSaid = max?.[resource] !== undefined || own?.limits?.[resource] !== undefined;
    for (const kind of ['requests', 'limits'] as const) {
      const asked = bounded[kind][resource];
      const isOver = asked === undefined ? kind === 'limits' && isSaid : isMore(asked, bound);
      if (!isOver) continue;
      bounded[kind][resource] = bound;
      changes.push(`${kind}.${resource} ${asked === undefined ? 'that is not set' : `"${asked}"`} is "${bound}"`);
    }
  }
  return { resources: withoutEmpty(bounded), changes };
}

/** Undefined when there is no bound. */
function boundOf(
  resource: LimitedResource,
  max: PodResourcesMax | undefined,
  own: ResourceRequirements | undefined,
): string | undefined {
  const set = max?.[resource];
  if (set !== undefined) return isMore(set, '0') ? set : undefined;
  return [own?.limits?.[resource], own?.requests?.[resource]].reduce<string>(
    (most, each) => (each !== undefined && isMore(each, most) ? each : most),
    podResourcesMaxDefault[resource],
  );
}

/** Both quantities have been parsed before; text that is no quantity is never more. */
function isMore(a: string, b: string): boolean {
  const [left, right] = [parseQuantity(a), parseQuantity(b)];
  return left !== undefined && right !== undefined && compareQuantities(left, right) > 0;
}

const withoutEmpty = ({ requests, limits }: Required<ResourceRequirements>): ResourceRequirements => ({
  ...(Object.keys(requests).length === 0 ? {} : { requests }),
  ...(Object.keys(limits).length === 0 ? {} : { limits }),
});

/**
 * Parses a `podResourcesMax` block: quantities by resource, zero for no bound. Each invalid value is reported through `problem`,
 * and the default applies to it.
 */
export function readPodResourcesMax(
  given: Readonly<Record<string, unknown>>,
  problem: (text: string) => void,
): PodResourcesMax {
  const max: Partial<Record<LimitedResource, string>> = {};
  for (const [resource, field] of podResourcesMaxFields) {
    const value = given[field];
    if (value === undefined || value === null || value === '') continue;
    const read = readAmount(field, value);
    if ('problem' in read) problem(read.problem);
    else max[resource] = read.amount === undefined ? '0' : read.text;
  }
  return max;
}
