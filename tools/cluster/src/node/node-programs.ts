import { inMachine } from '../machine/machine-paths.ts';
import type { Program } from '../machine/start-program.ts';
import { containerdFile } from './containerd-config.ts';
import { kubeProxyFiles } from './kube-proxy-config.ts';
import { kubeletFiles } from './kubelet-config.ts';

/** Rendered configuration files of a node, by file name below its etc folder. */
export type NodeFiles = Readonly<Record<string, string>>;

export function containerdProgram(files: NodeFiles): Program {
  return {
    name: 'containerd',
    argv: ['containerd', '--config', `${inMachine.etcDir}/${containerdFile}`],
    configuration: pick(files, [containerdFile]),
  };
}

export function kubeletProgram(nodeName: string, address: string, files: NodeFiles): Program {
  return {
    name: 'kubelet',
    argv: [
      `${inMachine.binDir}/kubelet`,
      `--config=${inMachine.etcDir}/${kubeletFiles.config}`,
      `--kubeconfig=${inMachine.etcDir}/${kubeletFiles.kubeconfig}`,
      `--root-dir=${inMachine.kubeletDir}`,
      `--hostname-override=${nodeName}`,
      `--node-ip=${address}`,
    ],
    configuration: pick(files, Object.values(kubeletFiles)),
  };
}

export function kubeProxyProgram(files: NodeFiles): Program {
  return {
    name: 'kube-proxy',
    argv: [`${inMachine.binDir}/kube-proxy`, `--config=${inMachine.etcDir}/${kubeProxyFiles.config}`],
    configuration: pick(files, Object.values(kubeProxyFiles)),
  };
}

const pick = (files: NodeFiles, names: readonly string[]): string[] => names.map((name) => files[name] ?? '');
