import { type Pod, podType } from '@lateen/api-types';
import { keyOf } from '@lateen/kube';
import type { FakeCluster } from '@lateen/testing';
import type { Ledger } from './ledger.ts';

/** A node that has not reported for too long: its pods are being deleted, but their end is not reported. */
export function evictClients(cluster: FakeCluster, node: string, ledger: Ledger): void {
  for (const pod of cluster.look(podType, 'app').filter(({ spec }) => spec.nodeName === node)) {
    ledger.clientsGone.add(pod.metadata.name ?? '');
    cluster.change<Pod>(podType, keyOf(pod), (object) => {
      object.metadata.deletionTimestamp ??= '2030-01-01T00:00:00Z';
    });
  }
}

/** The pod is deleted, and its kubelet has ended it. */
export function removeClient(cluster: FakeCluster, name: string, ledger: Ledger): void {
  ledger.clientsGone.add(name);
  cluster.remove(podType, { namespace: 'app', name });
}
