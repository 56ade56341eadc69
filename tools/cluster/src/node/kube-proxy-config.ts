import { dump } from 'js-yaml';
import { inMachine } from '../machine/machine-paths.ts';
import { clusterNetwork } from '../network/addresses.ts';

export const kubeProxyFiles = { config: 'kube-proxy.yaml', kubeconfig: 'kube-proxy.kubeconfig' } as const;

/** KubeProxyConfiguration: iptables mode, and no sysctl that a container host denies (conntrack, route_localnet). */
export function kubeProxyConfig(nodeName: string): string {
  return dump({
    apiVersion: 'kubeproxy.config.k8s.io/v1alpha1',
    kind: 'KubeProxyConfiguration',
    hostnameOverride: nodeName,
    clientConnection: { kubeconfig: `${inMachine.etcDir}/${kubeProxyFiles.kubeconfig}` },
    mode: 'iptables',
    clusterCIDR: clusterNetwork.podSubnet,
    detectLocalMode: 'ClusterCIDR',
    healthzBindAddress: '127.0.0.1:10256',
    metricsBindAddress: '127.0.0.1:10249',
    iptables: { localhostNodePorts: false, minSyncPeriod: '0s' },
    conntrack: { maxPerCore: 0, min: 0, tcpEstablishedTimeout: '0s', tcpCloseWaitTimeout: '0s' },
  });
}
