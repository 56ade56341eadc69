import type { PodSpec } from './pod.ts';

/** Whether a container of the pod mounts the volume of this name as files; kubelet makes no directory for one that nobody mounts. */
export function isMounted({ initContainers = [], containers = [] }: PodSpec, volume: string): boolean {
  return [...initContainers, ...containers].some(({ volumeMounts }) =>
    volumeMounts?.some(({ name }) => name === volume),
  );
}
