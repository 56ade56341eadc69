import type { EnvVar, ResourceRequirements } from '@lateen/api-types';

/**
 * How a mover learns its own limits, so that it can tell its engine a budget: by the downward API. A variable is there
 * only when the pod sets the limit: for one that is not set the kubelet would fill in what the whole node has.
 */
const variables: Readonly<Record<string, { name: string; divisor: string }>> = {
  cpu: { name: 'LATEEN_LIMIT_CPU_MILLIS', divisor: '1m' },
  memory: { name: 'LATEEN_LIMIT_MEMORY_BYTES', divisor: '1' },
  'ephemeral-storage': { name: 'LATEEN_LIMIT_EPHEMERAL_STORAGE_BYTES', divisor: '1' },
};

export function limitVariables(resources: ResourceRequirements | undefined): EnvVar[] {
  return Object.entries(variables)
    .filter(([resource]) => resources?.limits?.[resource] !== undefined)
    .map(([resource, { name, divisor }]) => ({
      name,
      valueFrom: { resourceFieldRef: { resource: `limits.${resource}`, divisor } },
    }));
}
