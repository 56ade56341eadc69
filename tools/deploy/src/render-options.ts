/** The parts of deploy/ that can be rendered alone, in the order they are applied. */
export const manifestParts = ['crds', 'common', 'controller', 'node-agent', 'csi'] as const;
export type ManifestPart = (typeof manifestParts)[number];

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

/** Everything that may differ between two clusters. What is absent stays as deploy/base says. */
export interface RenderOptions {
  /** The folder that holds base/ and crds/; default: this checkout's. */
  deployDir?: string;
  parts?: readonly ManifestPart[];
  /** Instead of localhost/lateen:dev. */
  image?: string;
  /** Instead of localhost/lateen-sidecars:dev. */
  sidecarImage?: string;
  /** The image's digest. It goes into the pod templates, so that another image under the same tag restarts the pods. */
  imageDigest?: string;
  /** Instead of velero. The CSI driver stays in lateen-csi: it serves the whole cluster. */
  namespace?: string;
  /** Of our own containers; the sidecars keep theirs. */
  logLevel?: 'debug' | 'info' | 'warn' | 'error';
  extraArgs?: ExtraArgs;
  /** Nodes with directories of their own. When they differ, each node gets its own DaemonSet `lateen-csi-<node>`. */
  nodes?: readonly NodeDirectories[];
  /** False leaves csi-resizer out, for a sidecar image without it: volumes then do not grow. Default true. */
  csiResizer?: boolean;
}
