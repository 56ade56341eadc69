import { AppError } from '@lateen/errors';
import { compareQuantities, parseQuantity, type Unstructured } from '@lateen/kube';
import type { ContainerResources } from '@lateen/manifests';
import type { InstallFlags } from './install-flags.ts';

/** Requests and limits from the flags, by container. @throws AppError BAD_FLAG */
export function podResources(flags: InstallFlags): Record<string, ContainerResources> {
  const of = (prefix: 'velero' | 'node-agent', what: 'request' | 'limit'): Record<string, string> => {
    const value = (resource: 'cpu' | 'mem') => {
      const flag = `--${prefix}-pod-${resource}-${what}`;
      const key = flag.slice(2).replace(/-([a-z])/g, (_, letter: string) => letter.toUpperCase());
      return quantity(flag, flags[key]);
    };
    const given = { cpu: value('cpu'), memory: value('mem') };
    return Object.fromEntries(
      Object.entries(given).filter((entry): entry is [string, string] => entry[1] !== undefined),
    );
  };
  return {
    'lateen-controller': { requests: of('velero', 'request'), limits: of('velero', 'limit') },
    'node-agent': { requests: of('node-agent', 'request'), limits: of('node-agent', 'limit') },
  };
}

function quantity(flag: string, value: unknown): string | undefined {
  if (value === undefined) return undefined;
  const parsed = parseQuantity(String(value));
  if (parsed === undefined || parsed.mantissa < 0n)
    throw new AppError('BAD_FLAG', `${flag} "${value}" is not a quantity`, {
      nextStep: 'Write it as 500m, 2, 256Mi or 1Gi.',
    });
  return parsed.mantissa === 0n ? '0' : String(value);
}

/**
 * The API server also refuses a request above its limit, but only after half of the installation exists. @throws AppError
 * BAD_FLAG
 */
export function checkRequests(objects: readonly Unstructured[]): void {
  for (const { spec } of objects) {
    const { template } = (spec ?? {}) as { template?: { spec: { containers: LimitedContainer[] } } };
    for (const { name, resources: { requests = {}, limits = {} } = {} } of template?.spec.containers ?? [])
      for (const [resource, text] of Object.entries(requests)) {
        const [request, limit] = [parseQuantity(text), parseQuantity(limits[resource] ?? '')];
        if (request !== undefined && limit !== undefined && compareQuantities(request, limit) > 0)
          throw new AppError(
            'BAD_FLAG',
            `${name} would ask for ${text} ${resource}, more than its limit ${limits[resource]}`,
            {
              nextStep: 'Raise the limit too; 0 sets none.',
            },
          );
      }
  }
}

interface LimitedContainer {
  name: string;
  resources?: { requests?: Record<string, string>; limits?: Record<string, string> };
}
