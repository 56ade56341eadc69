import type { StorageCaches } from '../frame/storage-caches.ts';

/** A node that Kubernetes calls not ready (its kubelet has been silent for 40 s by then), or does not have any more. */
export function isDown({ kubernetesNodes }: Pick<StorageCaches, 'kubernetesNodes'>, node: string): boolean {
  const ready = kubernetesNodes.get({ name: node })?.status?.conditions?.find(({ type }) => type === 'Ready');
  return ready?.status !== 'True';
}
