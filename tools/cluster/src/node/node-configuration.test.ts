import { load } from 'js-yaml';
import { describe, expect, it } from 'vitest';
import { cniConfig } from './cni-config.ts';
import { containerdConfig } from './containerd-config.ts';
import { kubeProxyConfig } from './kube-proxy-config.ts';
import { kubeletConfig } from './kubelet-config.ts';
import { containerdProgram, kubeletProgram } from './node-programs.ts';

describe('kubelet configuration', () => {
  const config = load(kubeletConfig({ cgroupRoot: '/lateen-12345678-node-1', podSubnet: '10.244.1.0/24' })) as Record<
    string,
    unknown
  >;

  it('uses the cgroup of its node and paths of its machine', () => {
    expect(config).toMatchObject({
      cgroupRoot: '/lateen-12345678-node-1',
      cgroupDriver: 'cgroupfs',
      podCIDR: '10.244.1.0/24',
    });
    expect(config.containerRuntimeEndpoint).toBe('unix:///run/containerd/containerd.sock');
    expect(config.volumePluginDir).toMatch(/^\/var\/lib\/kubelet\//);
  });

  it('rejects clients without a certificate or a token', () => {
    expect(config).toMatchObject({
      authentication: { anonymous: { enabled: false } },
      authorization: { mode: 'Webhook' },
    });
  });

  it('neither evicts nor collects images when other programs fill the disk', () => {
    expect(config).toMatchObject({ imageGCHighThresholdPercent: 100, evictionHard: { 'nodefs.available': '1%' } });
  });
});

it("containerd uses the node's folders, and nothing that a container may not have", () => {
  expect(containerdConfig({ pauseImage: 'localhost/p:dev', cniPluginDir: '/usr/lib/cni' })).toMatchInlineSnapshot(`
    "version = 2
    root = "/var/lib/containerd"
    state = "/run/containerd"
    oom_score = 0
    disabled_plugins = [
      "io.containerd.internal.v1.opt",
      "io.containerd.snapshotter.v1.btrfs",
      "io.containerd.snapshotter.v1.devmapper",
      "io.containerd.snapshotter.v1.zfs",
    ]

    [grpc]
      address = "/run/containerd/containerd.sock"

    [plugins."io.containerd.grpc.v1.cri"]
      sandbox_image = "localhost/p:dev"
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
      bin_dir = "/usr/lib/cni"
      conf_dir = "/run/lateen/etc/cni"
    "
  `);
});

it('pods get addresses of their node and are not masqueraded', () => {
  const { plugins } = JSON.parse(cniConfig('10.244.7.0/24')) as { plugins: Record<string, unknown>[] };
  expect(plugins[0]).toMatchObject({
    type: 'bridge',
    ipMasq: false,
    ipam: { ranges: [[{ subnet: '10.244.7.0/24' }]] },
  });
});

it('kube-proxy sets no sysctl that a container host denies', () => {
  expect(load(kubeProxyConfig('node-1'))).toMatchObject({
    mode: 'iptables',
    hostnameOverride: 'node-1',
    conntrack: { maxPerCore: 0, min: 0, tcpEstablishedTimeout: '0s', tcpCloseWaitTimeout: '0s' },
    iptables: { localhostNodePorts: false },
  });
});

it('a program is restarted only for changes of its own files', () => {
  const files = { 'kubelet.yaml': 'a', 'containerd.toml': 'b' };
  const changed = { ...files, 'kubelet.yaml': 'c' };
  expect(kubeletProgram('node-1', '10.210.0.11', changed)).not.toEqual(kubeletProgram('node-1', '10.210.0.11', files));
  expect(containerdProgram(changed)).toEqual(containerdProgram(files));
});
