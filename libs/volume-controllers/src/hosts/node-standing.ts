import type { Node } from '@lateen/api-types';
import type { StorageCaches } from '../frame/storage-caches.ts';

/** A node that Kubernetes calls not ready (its kubelet has been silent for 40 s by then), or does not have any more. */
export function isDown({ kubernetesNodes }: Pick<StorageCaches, 'kubernetesNodes'>, node: string): boolean {
  const ready = kubernetesNodes.get({ name: node })?.status?.conditions?.find(({ type }) => type === 'Ready');
  return ready?.status !== 'True';
}

/** `kubectl cordon` or the begin of a drain. */
export const isCordoned = (node: Node | undefined): boolean => node?.spec?.unschedulable === true;

/** By this taint somebody says that a node is off for good: what it held may be let go of (Kubernetes' non-graceful node shutdown). */
const outOfServiceTaint = 'node.kubernetes.io/out-of-service';

/** Somebody has said that the node is off for good, or Kubernetes does not have it any more. */
export const isOutOfService = (node: Node | undefined): boolean =>
  node === undefined || (node.spec?.taints ?? []).some(({ key }) => key === outOfServiceTaint);
