import { labels, type Pod, podType } from '@lateen/api-types';
import { keyOf } from '@lateen/kube';
import type { FakeCluster } from '@lateen/testing';

/** Only to look at. */
export function hostingPods(cluster: FakeCluster, node?: string): Pod[] {
  const pods = cluster.look(podType).filter((pod) => pod.metadata.labels?.[labels.exposerPodGroup] !== undefined);
  return node === undefined ? pods : pods.filter((pod) => pod.spec.nodeName === node);
}

/** What is said of the running pods of a node whose kubelet is not heard of any more, or again. */
export function setReady(cluster: FakeCluster, node: string, status: 'True' | 'False'): void {
  for (const pod of hostingPods(cluster, node)) {
    if (pod.status?.phase !== 'Running') continue;
    cluster.change<Pod>(podType, keyOf(pod), (object) => {
      Object.assign(object.status ?? {}, { conditions: [{ type: 'Ready', status }] });
    });
  }
}

/** When a node is silent for that long, its pods are no longer called ready … */
export const unreadyAfterMs = 40_000;
/** … and for that long, they are told to go. */
export const evictAfterMs = 5 * 60_000;
