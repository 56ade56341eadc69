import type { ResourceRequirements } from '@lateen/api-types';
import { compareQuantities, parseQuantity, type Quantity } from '@lateen/kube';

const fields = [
  ['cpu', 'cpuRequest', 'cpuLimit'],
  ['memory', 'memoryRequest', 'memoryLimit'],
  ['ephemeral-storage', 'ephemeralStorageRequest', 'ephemeralStorageLimit'],
] as const;

/**
 * Reads a `podResources` block (api.md section 17.2). One bad value, or a request above its limit, drops all of it; zero means that
 * nothing is asked for. Undefined resources: best effort.
 */
export function readPodResources(
  value: unknown,
): { resources: ResourceRequirements | undefined } | { problem: string } {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return { problem: 'it is no object' };
  const given = value as Record<string, unknown>;
  const requests: Record<string, string> = {};
  const limits: Record<string, string> = {};
  for (const [resource, requestField, limitField] of fields) {
    const [request, limit] = [amountOf(given[requestField]), amountOf(given[limitField])];
    if (request === 'bad') return { problem: `${requestField} ${JSON.stringify(given[requestField])} is no quantity` };
    if (limit === 'bad') return { problem: `${limitField} ${JSON.stringify(given[limitField])} is no quantity` };
    if (request !== undefined && limit !== undefined && compareQuantities(request, limit) > 0) {
      return { problem: `${requestField} "${given[requestField]}" is more than ${limitField} "${given[limitField]}"` };
    }
    if (request !== undefined) requests[resource] = String(given[requestField]);
    if (limit !== undefined) limits[resource] = String(given[limitField]);
  }
  const [asked, limited] = [Object.keys(requests).length > 0, Object.keys(limits).length > 0];
  if (!asked && !limited) return { resources: undefined };
  return { resources: { ...(asked ? { requests } : {}), ...(limited ? { limits } : {}) } };
}

function amountOf(value: unknown): Quantity | undefined | 'bad' {
  if (value === undefined || value === null || value === '') return undefined;
  const amount = typeof value === 'string' ? parseQuantity(value) : undefined;
  if (amount === undefined || amount.mantissa < 0n) return 'bad';
  return amount.mantissa === 0n ? undefined : amount;
}
