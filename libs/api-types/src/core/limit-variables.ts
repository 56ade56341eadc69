import type { EnvVar, ResourceRequirements } from './container.ts';

/** What a program of ours learns of the limits of its container, to keep what it runs inside them. */
export type LimitedResource = 'cpu' | 'memory' | 'ephemeral-storage';

/** Filled in by the kubelet (downward API), in thousandths of a CPU and in bytes. */
const variables: Readonly<Record<LimitedResource, { name: string; divisor: string }>> = {
  cpu: { name: 'LATEEN_LIMIT_CPU_MILLIS', divisor: '1m' },
  memory: { name: 'LATEEN_LIMIT_MEMORY_BYTES', divisor: '1' },
  'ephemeral-storage': { name: 'LATEEN_LIMIT_EPHEMERAL_STORAGE_BYTES', divisor: '1' },
};

/**
 * The variables of a container with these resources. One is there only when the container sets the limit: for one that is not set
 * the kubelet would fill in what the whole node has.
 * @param of default: all that programs read
 */
export function limitVariables(
  resources: ResourceRequirements | undefined,
  of: readonly LimitedResource[] = ['cpu', 'memory', 'ephemeral-storage'],
): EnvVar[] {
  return of
    .filter((resource) => resources?.limits?.[resource] !== undefined)
    .map((resource) => ({
      name: variables[resource].name,
      valueFrom: { resourceFieldRef: { resource: `limits.${resource}`, divisor: variables[resource].divisor } },
    }));
}

const scratchName = 'LATEEN_SCRATCH_BYTES';

/** How large the scratch volume of a mover may become; there only where its volume has a bound of its own. */
export const scratchVariable = (bytes: bigint): EnvVar => ({ name: scratchName, value: String(bytes) });

export const scratchLimitIn = (environment: Readonly<Record<string, string | undefined>>): number | undefined =>
  limitOf(environment[scratchName]);

/** The limit as the environment tells it, in the unit of its variable; anything but a whole number above zero means no limit. */
export function limitIn(
  environment: Readonly<Record<string, string | undefined>>,
  resource: LimitedResource,
): number | undefined {
  return limitOf(environment[variables[resource].name]);
}

function limitOf(text: string | undefined): number | undefined {
  const limit = Number(text || Number.NaN);
  return Number.isSafeInteger(limit) && limit > 0 ? limit : undefined;
}
