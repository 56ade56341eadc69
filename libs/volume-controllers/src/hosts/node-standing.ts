import type { Node } from '@lateen/api-types';
import type { StorageCaches } from '../frame/storage-caches.ts';

/** A node that Kubernetes reports as not ready (its kubelet has not answered for 40 s by then), or no longer has. */
export function isDown({ kubernetesNodes }: Pick<StorageCaches, 'kubernetesNodes'>, node: string): boolean {
  const ready = kubernetesNodes.get({ name: node })?.status?.conditions?.find(({ type }) => type === 'Ready');
  return ready?.status !== 'True';
}

/** `kubectl cordon` or the begin of a drain. */
export const isCordoned = (node: Node | undefined): boolean => node?.spec?.unschedulable === true;

/** With this taint a person declares that a node is permanently off: its volumes may be released (Kubernetes' non-graceful node shutdown). */
const outOfServiceTaint = 'node.kubernetes.io/out-of-service';

/** A person has declared that the node is permanently off, or Kubernetes no longer has it. */
export const isOutOfService = (node: Node | undefined): boolean =>
  node === undefined || (node.spec?.taints ?? []).some(({ key }) => key === outOfServiceTaint);
