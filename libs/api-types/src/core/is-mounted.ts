import type { PodSpec } from './pod.ts';

/** Whether a container of the pod mounts the volume of this name as files; kubelet creates no directory for a volume that no container mounts. */
export function isMounted({ initContainers = [], containers = [] }: PodSpec, volume: string): boolean {
  return [...initContainers, ...containers].some(({ volumeMounts }) =>
    volumeMounts?.some(({ name }) => name === volume),
  );
}
