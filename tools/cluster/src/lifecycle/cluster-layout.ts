import { createHash } from 'node:crypto';
import { join, resolve } from 'node:path';

/** The paths and names of one cluster. Pure. */
export interface ClusterLayout {
  /** Eight hexadecimal digits of the folder's path: the same folder is the same cluster, after a reboot too. */
  id: string;
  dir: string;
  stateFile: string;
  kubeconfig: string;
  /** Hard links to the programs, so that a newer cache does not change a running cluster. */
  binDir: string;
  pkiDir: string;
  s3Dir: string;
  /** Beside the folder, because `down` removes the folder while it holds the lock. */
  lockFile: string;
  controlPlane: MachineLayout;
  node(index: number): MachineLayout;
}

/** The paths and names of one machine of a cluster (control plane or node). */
export interface MachineLayout {
  clusterId: string;
  clusterDir: string;
  /** `control-plane`, `node-1`: host name, and node name in the API. */
  name: string;
  /** Unique on this host: network namespace, cgroup, and mark of process 1. */
  uniqueName: string;
  dir: string;
  /** Mounted as /var/lib, /var/log and /run/lateen/etc inside. */
  varLibDir: string;
  varLogDir: string;
  etcDir: string;
  /** Output of the machine's programs. */
  logDir: string;
  recordDir: string;
}

export const controlPlaneName = 'control-plane';
export const nodeName = (index: number): string => `node-${index}`;

/** The prefix of everything that a cluster creates outside its folder: namespaces, cgroups, process marks. */
export const uniquePrefix = (id: string): string => `lateen-${id}-`;

export function clusterLayout(dir: string): ClusterLayout {
  const absolute = resolve(dir);
  const id = createHash('sha256').update(absolute).digest('hex').slice(0, 8);
  const machine = (name: string): MachineLayout => {
    const machineDir = join(absolute, 'machines', name);
    return {
      clusterId: id,
      clusterDir: absolute,
      name,
      uniqueName: `${uniquePrefix(id)}${name}`,
      dir: machineDir,
      varLibDir: join(machineDir, 'var-lib'),
      varLogDir: join(machineDir, 'var-log'),
      etcDir: join(machineDir, 'etc'),
      logDir: join(machineDir, 'logs'),
      recordDir: join(machineDir, 'records'),
    };
  };
  return {
    id,
    dir: absolute,
    stateFile: join(absolute, 'cluster.json'),
    kubeconfig: join(absolute, 'kubeconfig'),
    binDir: join(absolute, 'bin'),
    pkiDir: join(absolute, 'pki'),
    s3Dir: join(absolute, 's3'),
    lockFile: `${absolute}.lock`,
    controlPlane: machine(controlPlaneName),
    node: (index) => machine(nodeName(index)),
  };
}
