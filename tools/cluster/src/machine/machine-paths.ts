/**
 * Paths as programs inside a machine see them. They are the same in every machine of every cluster, because each machine
 * has a mount namespace of its own: manifests that name /var/lib/kubelet work on every node.
 */
export const inMachine = {
  binDir: '/run/lateen/bin',
  etcDir: '/run/lateen/etc',
  pkiDir: '/run/lateen/pki',
  s3Dir: '/run/lateen/s3',
  etcdDir: '/var/lib/etcd',
  auditLogDir: '/var/log/kube-apiserver-audit',
  kubeletDir: '/var/lib/kubelet',
  /** Where the CSI driver keeps its volumes; an XFS with reflink. */
  csiStateDir: '/var/lib/lateen-csi',
  /** Where replicas are kept by default; an XFS too. */
  replicaDir: '/var/lib/longhorn',
  /** Where instance managers of replicated volumes keep what outlives their pods, each in a folder of its own. */
  storageRuntimeDir: '/var/lib/lateen-storage',
  /** Links to the devices of replicated volumes. */
  deviceDir: '/dev/longhorn',
  containerdDir: '/var/lib/containerd',
  containerdStateDir: '/run/containerd',
  containerdSocket: '/run/containerd/containerd.sock',
} as const;
