import { labels, type Pod, podType } from '@lateen/api-types';
import { keyOf } from '@lateen/kube';
import type { FakeCluster } from '@lateen/testing';

/** For reading only. */
export function hostingPods(cluster: FakeCluster, node?: string): Pod[] {
  const pods = cluster.look(podType).filter((pod) => pod.metadata.labels?.[labels.exposerPodGroup] !== undefined);
  return node === undefined ? pods : pods.filter((pod) => pod.spec.nodeName === node);
}

/** Sets the conditions of the running pods of a node whose kubelet stops or starts reporting. */
export function setReady(cluster: FakeCluster, node: string, status: 'True' | 'False'): void {
  for (const pod of hostingPods(cluster, node)) {
    if (pod.status?.phase !== 'Running') continue;
    cluster.change<Pod>(podType, keyOf(pod), (object) => {
      Object.assign(object.status ?? {}, { conditions: [{ type: 'Ready', status }] });
    });
  }
}

/** When a node has not reported for that long, its pods become unready … */
export const unreadyAfterMs = 40_000;
/** … and after that long they are deleted. */
export const evictAfterMs = 5 * 60_000;
