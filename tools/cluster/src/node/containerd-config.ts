import { inMachine } from '../machine/machine-paths.ts';

export interface ContainerdOptions {
  pauseImage: string;
  /** Folders with CNI plugins; Debian and upstream differ. */
  cniPluginDir: string;
}

export const containerdFile = 'containerd.toml';
export const cniConfigDir = `${inMachine.etcDir}/cni`;

/**
 * containerd's configuration (version 2, read by 1.x and 2.x). `restrict_oom_score_adj`: without CAP_SYS_RESOURCE runc may not lower the
 * score and fails (machine.md section 4). The opt plugin would create /opt/containerd on the host.
 */
export function containerdConfig({ pauseImage, cniPluginDir }: ContainerdOptions): string {
  return `version = 2
root = "${inMachine.containerdDir}"
state = "${inMachine.containerdStateDir}"
oom_score = 0
disabled_plugins = [
  "io.containerd.internal.v1.opt",
  "io.containerd.snapshotter.v1.btrfs",
  "io.containerd.snapshotter.v1.devmapper",
  "io.containerd.snapshotter.v1.zfs",
]

[grpc]
  address = "${inMachine.containerdSocket}"

[plugins."io.containerd.grpc.v1.cri"]
  sandbox_image = "${pauseImage}"
  restrict_oom_score_adj = true
  disable_hugetlb_controller = true
  max_concurrent_downloads = 3

[plugins."io.containerd.grpc.v1.cri".containerd]
  snapshotter = "overlayfs"
  default_runtime_name = "runc"

[plugins."io.containerd.grpc.v1.cri".containerd.runtimes.runc]
  runtime_type = "io.containerd.runc.v2"

[plugins."io.containerd.grpc.v1.cri".containerd.runtimes.runc.options]
  SystemdCgroup = false

[plugins."io.containerd.grpc.v1.cri".cni]
  bin_dir = "${cniPluginDir}"
  conf_dir = "${cniConfigDir}"
`;
}
