import type { PluginImage } from './plugins.ts';

/** The parts of deploy/ that are rendered by default, in the order they are applied. */
export const manifestParts = ['crds', 'namespace', 'controller', 'node-agent', 'snapshot-metadata', 'csi'] as const;

/** Parts that are rendered by name only: volumes with replicas on several nodes, and their kinds. */
export const optionalParts = ['crds-storage', 'volume-manager'] as const;

/** All parts, in the order they are applied. */
export const everyPart = [...optionalParts, ...manifestParts] as const;
export type ManifestPart = (typeof everyPart)[number];

/** A node whose kubelet does not use /var/lib/kubelet, or whose volumes lie elsewhere than /var/lib/lateen-csi. */
export interface NodeDirectories {
  /** The node's name, which must equal its label kubernetes.io/hostname. */
  name: string;
  /** kubelet's --root-dir on that node. */
  kubeletDir: string;
  /** Where the CSI driver keeps volumes on that node. */
  csiStateDir: string;
}

/** Extra command line arguments by container name; appended, so that they win over those of the manifest. */
export type ExtraArgs = Readonly<Partial<Record<string, readonly string[]>>>;

/** Quantities by resource name: `{ cpu: '500m' }`; '0' takes one away. What is absent stays as deploy/base says. */
export interface ContainerResources {
  requests?: Readonly<Record<string, string>>;
  limits?: Readonly<Record<string, string>>;
}

/** Everything that may differ between two clusters. What is absent stays as deploy/base says. */
export interface RenderOptions {
  /** Absent: {@link manifestParts}. */
  parts?: readonly ManifestPart[];
  /** Instead of localhost/lateen:dev. */
  image?: string;
  /** Instead of localhost/lateen-sidecars:dev. */
  sidecarImage?: string;
  /** Of the pods in which replicas run, instead of localhost/lateen-storage:dev. */
  storageImage?: string;
  /** The image's digest. It goes into the pod templates, so that another image under the same tag restarts the pods. */
  imageDigest?: string;
  /** Instead of velero. The CSI driver stays in lateen-csi and the volume manager in longhorn-system: they serve the whole cluster. */
  namespace?: string;
  /** Of our own containers; the sidecars keep theirs. */
  logLevel?: 'debug' | 'info' | 'warn' | 'error';
  extraArgs?: ExtraArgs;
  /** Images with programs of plugins; each is an init container of the controller. Default none. */
  plugins?: readonly PluginImage[];
  /**
   * False: volumes of pods are neither backed up nor restored through the pods that mount them. Rights for it are left out, and the
   * namespace is under pod security level "baseline". Default true.
   */
  podVolumes?: boolean;
  /**
   * False: only pod volumes of claims are backed up and restored, and by no path of the host; the namespace is under pod security level
   * "baseline". Default true.
   */
  hostPaths?: boolean;
  /** By container name. */
  resources?: Readonly<Partial<Record<string, ContainerResources>>>;
  /** On the pods of controller and node-agent; those of the data movers inherit from the latter. */
  podAnnotations?: Readonly<Record<string, string>>;
  podLabels?: Readonly<Record<string, string>>;
  /** On the service accounts of controller and node-agent, for roles of a cloud. */
  serviceAccountAnnotations?: Readonly<Record<string, string>>;
  /** An account that is there already, instead of the two that deploy/base makes; it gets the rights of both. */
  serviceAccountName?: string;
  /** Nodes with directories of their own. When they differ, each node gets its own DaemonSet of what mounts: `lateen-csi-<node>`, `volume-manager-<node>`. */
  nodes?: readonly NodeDirectories[];
  /** True: managers of replicated volumes may mount backup targets on NFS servers, for which their container is root and privileged. Default false. */
  privilegedManagers?: boolean;
  /** False leaves out what tells backup programs the changed blocks of our own volumes: the sidecar, its Service and its rights. Default true. */
  snapshotMetadata?: boolean;
  /** False leaves csi-resizer out, for a sidecar image without it: volumes then do not grow. Default true. */
  csiResizer?: boolean;
}
