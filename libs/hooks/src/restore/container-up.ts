import type { Pod } from '@lateen/api-types';

/** Whether hooks can run in a pod's containers. */
export type PodState =
  /** This container can be used now. */
  | { container: string }
  /** None of the containers will ever be usable; the reason. */
  | { over: string };

/**
 * Returns the first of these containers that runs, and is ready if required; or why none ever will; undefined while waiting makes sense.
 * @param containers name, and whether it must be ready
 */
export function containerUp(pod: Pod | undefined, containers: ReadonlyMap<string, boolean>): PodState | undefined {
  if (pod === undefined) return { over: 'the pod is not there any more' };
  const { phase, containerStatuses = [], initContainerStatuses = [] } = pod.status ?? {};
  const statuses = [...(containerStatuses ?? []), ...(initContainerStatuses ?? [])];
  for (const [container, mustBeReady] of containers) {
    const status = statuses.find(({ name }) => name === container);
    if (status?.state?.running !== undefined && (!mustBeReady || status.ready === true)) return { container };
  }
  if (phase === 'Succeeded' || phase === 'Failed') return { over: 'the pod has ended' };
  return undefined;
}
