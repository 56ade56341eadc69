import { basename, join } from 'node:path';
import { s3Region } from '../control-plane/control-plane-programs.ts';
import { inMachine } from '../machine/machine-paths.ts';
import { clusterNetwork } from '../network/addresses.ts';
import type { ClusterLayout } from './cluster-layout.ts';
import type { ClusterState } from './cluster-state.ts';

/** Everything that is needed to use a cluster. `s3.secretKey` is a secret: do not print it. */
export interface ClusterInfo {
  id: string;
  dir: string;
  /** Path of a kubeconfig with all permissions, usable on the host. */
  kubeconfig: string;
  apiServerUrl: string;
  /** Folder on the host with kube-apiserver's audit log: one JSON event per line. */
  auditLogDir: string;
  nodes: NodeInfo[];
  s3: {
    endpointForHost: string;
    endpointForPods: string;
    bucket: string;
    region: string;
    accessKey: string;
    secretKey: string;
    /** The directory of the buckets on the host. */
    dataDir: string;
  };
}

export interface NodeInfo {
  name: string;
  /** Path for a `hostPath` of pods; the same on every node, but each node has a separate folder. */
  csiStateDir: string;
  kubeletDir: string;
  /** Name of its network namespace, for `ip -n`. */
  netns: string;
  /** The node's /var/lib as the host sees it, without mounts inside the node. */
  varLibDir: string;
  /** The node's /var/log as the host sees it: logs of its containers below `pods`. */
  varLogDir: string;
  /** Folder on the host with the logs of its kubelet, containerd and kube-proxy. */
  logDir: string;
}

export const s3Bucket = 'lateen';

export const apiServerUrl = (state: ClusterState): string =>
  `https://${state.link.clusterAddress}:${clusterNetwork.apiServerPort}`;

export function clusterInfo(layout: ClusterLayout, state: ClusterState): ClusterInfo {
  // Pods reach the control plane's end of the host link through their node, so one URL works for both.
  const endpoint = `http://${state.link.clusterAddress}:${clusterNetwork.s3Port}`;
  return {
    id: layout.id,
    dir: layout.dir,
    kubeconfig: layout.kubeconfig,
    apiServerUrl: apiServerUrl(state),
    auditLogDir: join(layout.controlPlane.varLogDir, basename(inMachine.auditLogDir)),
    nodes: Array.from({ length: state.nodes }, (_, at) => {
      const node = layout.node(at + 1);
      return {
        name: node.name,
        csiStateDir: inMachine.csiStateDir,
        kubeletDir: inMachine.kubeletDir,
        netns: node.uniqueName,
        varLibDir: node.varLibDir,
        varLogDir: node.varLogDir,
        logDir: node.logDir,
      };
    }),
    s3: {
      endpointForHost: endpoint,
      endpointForPods: endpoint,
      bucket: s3Bucket,
      region: s3Region,
      ...state.s3,
      dataDir: layout.s3Dir,
    },
  };
}
