import type { ResourceRequirements } from '@lateen/api-types';
import { compareQuantities, parseQuantity, type Quantity } from './quantity.ts';

const fields = [
  ['cpu', 'cpuRequest', 'cpuLimit'],
  ['memory', 'memoryRequest', 'memoryLimit'],
  ['ephemeral-storage', 'ephemeralStorageRequest', 'ephemeralStorageLimit'],
] as const;
const known: ReadonlySet<string> = new Set(fields.flatMap(([, request, limit]) => [request, limit]));

/** What was read: resources (empty when nothing is asked for) and unknown keys, or why all of it counts for nothing. */
export type PodResourcesReading =
  | { resources: ResourceRequirements; unknownKeys: readonly string[] }
  | { problem: string };

/**
 * Reads a `podResources` block. One bad value, or a request above its limit, drops all of it: half of a resource
 * configuration is worse than none (design "VGDP Micro Service", Resource Control; api.md section 17). Zero means that nothing is asked for
 * or that there is no limit. Quantities are passed on as they were written.
 */
export function readPodResources(value: unknown): PodResourcesReading {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) {
    return { problem: `${JSON.stringify(value)} is not an object with cpuRequest, cpuLimit and so on` };
  }
  const given = value as Record<string, unknown>;
  const requests: Record<string, string> = {};
  const limits: Record<string, string> = {};
  for (const [resource, requestField, limitField] of fields) {
    const request = readAmount(requestField, given[requestField]);
    const limit = readAmount(limitField, given[limitField]);
    if ('problem' in request) return request;
    if ('problem' in limit) return limit;
    if (
      request.amount !== undefined &&
      limit.amount !== undefined &&
      compareQuantities(request.amount, limit.amount) > 0
    )
      return { problem: `${requestField} "${request.text}" is more than ${limitField} "${limit.text}"` };
    if (request.amount !== undefined) requests[resource] = request.text;
    if (limit.amount !== undefined) limits[resource] = limit.text;
  }
  return {
    resources: {
      ...(Object.keys(requests).length === 0 ? {} : { requests }),
      ...(Object.keys(limits).length === 0 ? {} : { limits }),
    },
    unknownKeys: Object.keys(given).filter((key) => !known.has(key)),
  };
}

/** True when the resources say anything. */
export function asksForSomething({ requests, limits }: ResourceRequirements): boolean {
  return requests !== undefined || limits !== undefined;
}

/** A quantity of a setting: as it was written, and what it is; undefined where zero or nothing asks for nothing. */
export function readAmount(
  field: string,
  value: unknown,
): { amount: Quantity | undefined; text: string } | { problem: string } {
  if (value === undefined || value === null || value === '') return { amount: undefined, text: '' };
  const amount = typeof value === 'string' ? parseQuantity(value) : undefined;
  if (typeof value !== 'string' || amount === undefined)
    return { problem: `${field} ${JSON.stringify(value)} is not a quantity` };
  if (amount.mantissa < 0n) return { problem: `${field} "${value}" is below zero` };
  return { amount: amount.mantissa === 0n ? undefined : amount, text: value };
}
