import type { ClusterInfo } from '@lateen/cluster';
import type { KubeApi } from '@lateen/kube';
import type { ObjectStore } from '@lateen/object-store';

/** An installed Lateen whose storage location is Available. */
export interface RunningLateen {
  kube: KubeApi;
  /** Path of a kubeconfig that reaches the cluster. */
  kubeconfig: string;
  /** Path of the kubectl binary. */
  kubectl: string;
  veleroNamespace: string;
  /** An image whose pods can run `sleep`, `sh`, `tar`, `node` and `getfattr`: Lateen's own. */
  image: string;
  /** A storage class that can take snapshots. */
  storageClass: string;
  /** Absent on an existing cluster. */
  cluster?: ClusterInfo;
  /** The default location's bucket; absent when only the cluster can reach it. */
  bucket?: ObjectStore;
  /** Closes connections. The cluster keeps running. */
  close(): Promise<void>;
}
