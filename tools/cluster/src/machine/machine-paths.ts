/**
 * Paths as programs inside a machine see them. They are the same in every machine of every cluster, because each machine has a separate
 * mount namespace: manifests with /var/lib/kubelet work on every node.
 */
export const inMachine = {
  binDir: '/run/lateen/bin',
  etcDir: '/run/lateen/etc',
  pkiDir: '/run/lateen/pki',
  s3Dir: '/run/lateen/s3',
  etcdDir: '/var/lib/etcd',
  auditLogDir: '/var/log/kube-apiserver-audit',
  kubeletDir: '/var/lib/kubelet',
  /** The CSI driver's volumes; an XFS with reflink. */
  csiStateDir: '/var/lib/lateen-csi',
  /** The default folder of replicas; an XFS too. */
  replicaDir: '/var/lib/longhorn',
  /** State of instance managers of replicated volumes that outlives their pods, each in a separate folder. */
  storageRuntimeDir: '/var/lib/lateen-storage',
  /** Links to the devices of replicated volumes. */
  deviceDir: '/dev/longhorn',
  containerdDir: '/var/lib/containerd',
  containerdStateDir: '/run/containerd',
  containerdSocket: '/run/containerd/containerd.sock',
} as const;
