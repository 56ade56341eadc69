import { dump } from 'js-yaml';
import { inMachine } from '../machine/machine-paths.ts';
import { clusterNetwork } from '../network/addresses.ts';

/** File names in the machine's etc folder. */
export const kubeletFiles = {
  config: 'kubelet.yaml',
  kubeconfig: 'kubelet.kubeconfig',
  authority: 'ca.crt',
  certificate: 'kubelet-serving.crt',
  key: 'kubelet-serving.key',
  resolvConf: 'resolv.conf',
} as const;

/**
 * KubeletConfiguration of a node that shares its machine with other programs: nothing is evicted or collected because these fill the host's
 * disk, events and API calls are not rate limited, and only the node's cgroup is used.
 */
export function kubeletConfig(options: { cgroupRoot: string; podSubnet: string }): string {
  const file = (name: keyof typeof kubeletFiles): string => `${inMachine.etcDir}/${kubeletFiles[name]}`;
  return dump({
    apiVersion: 'kubelet.config.k8s.io/v1beta1',
    kind: 'KubeletConfiguration',
    authentication: {
      anonymous: { enabled: false },
      webhook: { enabled: true },
      x509: { clientCAFile: file('authority') },
    },
    authorization: { mode: 'Webhook' },
    tlsCertFile: file('certificate'),
    tlsPrivateKeyFile: file('key'),
    containerRuntimeEndpoint: `unix://${inMachine.containerdSocket}`,
    cgroupDriver: 'cgroupfs',
    cgroupRoot: options.cgroupRoot,
    failSwapOn: false,
    oomScoreAdj: 0,
    // The default is in /usr of the host.
    volumePluginDir: `${inMachine.kubeletDir}/volume-plugins`,
    resolvConf: file('resolvConf'),
    clusterDNS: [clusterNetwork.dnsServiceAddress],
    clusterDomain: 'cluster.local',
    // A node becomes Ready with the first status after its runtime has answered; by default the next one comes after 10 s.
    // Reports without a change stay as rare as by default, which the first setting would otherwise change too.
    nodeStatusUpdateFrequency: '2s',
    nodeStatusReportFrequency: '5m',
    maxPods: 200,
    podCIDR: options.podSubnet,
    serializeImagePulls: false,
    imageGCHighThresholdPercent: 100,
    imageGCLowThresholdPercent: 99,
    evictionHard: {
      'memory.available': '100Mi',
      'nodefs.available': '1%',
      'nodefs.inodesFree': '1%',
      'imagefs.available': '1%',
    },
    containerLogMaxSize: '20Mi',
    containerLogMaxFiles: 3,
    eventRecordQPS: 0,
    kubeAPIQPS: 100,
    kubeAPIBurst: 200,
    // Pods of a removed cluster end immediately with their machine.
    shutdownGracePeriod: '0s',
    logging: { verbosity: 2 },
  });
}

/** A resolver that fails immediately: loopback of the pod, where no server listens. */
export const refusingResolvConf = 'nameserver 127.0.0.1\noptions timeout:1 attempts:1\n';
