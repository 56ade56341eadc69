import type { CertificateStore } from '../pki/certificate-store.ts';
import { kubeconfig } from '../pki/kubeconfig.ts';
import { cniConfig, cniConfigFile } from './cni-config.ts';
import { containerdConfig, containerdFile } from './containerd-config.ts';
import { kubeProxyConfig, kubeProxyFiles } from './kube-proxy-config.ts';
import { kubeletConfig, kubeletFiles, refusingResolvConf } from './kubelet-config.ts';
import type { NodeFiles } from './node-programs.ts';

export interface NodeFilesOptions {
  nodeName: string;
  address: string;
  podSubnet: string;
  cgroupRoot: string;
  apiServerUrl: string;
  pauseImage: string;
  cniPluginDir: string;
  certificates: CertificateStore;
}

/** All files below a node's etc folder. Most are secret (keys), so the caller writes all of them with mode 0600. */
export async function renderNodeFiles(options: NodeFilesOptions): Promise<NodeFiles> {
  const { nodeName, certificates } = options;
  const authority = certificates.authority.certificate;
  const serving = await certificates.certificate(`${nodeName}-serving`, {
    subject: `CN=system:node:${nodeName},O=system:nodes`,
    dnsNames: [nodeName],
    ipAddresses: [options.address],
  });
  const clientConfig = async (name: string, subject: string): Promise<string> =>
    kubeconfig({
      name,
      server: options.apiServerUrl,
      authority,
      client: await certificates.certificate(`${nodeName}-${name}`, { subject }),
    });
  return {
    [kubeletFiles.authority]: authority,
    [kubeletFiles.certificate]: serving.certificate,
    [kubeletFiles.key]: serving.key,
    [kubeletFiles.kubeconfig]: await clientConfig('kubelet', `CN=system:node:${nodeName},O=system:nodes`),
    [kubeletFiles.resolvConf]: refusingResolvConf,
    [kubeletFiles.config]: kubeletConfig({ cgroupRoot: options.cgroupRoot, podSubnet: options.podSubnet }),
    [kubeProxyFiles.kubeconfig]: await clientConfig('kube-proxy', 'CN=system:kube-proxy'),
    [kubeProxyFiles.config]: kubeProxyConfig(nodeName),
    [containerdFile]: containerdConfig({ pauseImage: options.pauseImage, cniPluginDir: options.cniPluginDir }),
    [cniConfigFile]: cniConfig(options.podSubnet),
  };
}
