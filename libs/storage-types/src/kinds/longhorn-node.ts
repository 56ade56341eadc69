import type { Integer, KubeObject, Timestamp } from '@lateen/api-types';
import type { Condition } from '../meta/condition.ts';
import { longhornType } from '../meta/longhorn-type.ts';
import type { DiskSpec, DiskStatus } from './disk.ts';

/** A node of the cluster, with the disks on which replicas of volumes are stored. */
export interface LonghornNode extends KubeObject {
  spec: LonghornNodeSpec;
  status?: LonghornNodeStatus;
}

/** Types of a node's conditions (longhorn.md section 2). */
export const nodeConditionTypes = [
  'Ready',
  'Schedulable',
  'MountPropagation',
  'Multipathd',
  'KernelModulesLoaded',
  'RequiredPackages',
  'NFSClientInstalled',
  'HugePagesAvailable',
] as const;
export type NodeConditionType = (typeof nodeConditionTypes)[number];

/** Settings of the node: its disks, its tags, and whether replicas may be placed on it. */
export interface LonghornNodeSpec {
  /** Name of the Kubernetes node. */
  name?: string;
  /** Disks of the node. Key: a name that you choose. Empty: no replicas are stored on the node. */
  disks?: Record<string, DiskSpec>;
  /** Whether new replicas may be placed on the node. `false`: the existing ones stay. Default: `false`. */
  allowScheduling?: boolean;
  /** `true`: all replicas leave the node; each is built on another node first. Needs `allowScheduling: false`. Default: `false`. */
  evictionRequested?: boolean;
  /** Tags of the node, which `nodeSelector` of a volume names. Empty: only volumes without nodeSelector use the node. */
  tags?: string[];
  /**
   * CPU request of the instance manager's pod, in millicores: 250 is a quarter of a core. 0: the setting guaranteed-instance-manager-cpu.
   */
  instanceManagerCPURequest?: Integer;
}

/** State of the node and its disks. */
export interface LonghornNodeStatus {
  /**
   * Conditions of the node. `Ready`: it can be used. `Schedulable`: new replicas may be placed on it. The other types are checks of what
   * the node needs, such as `MountPropagation`.
   */
  conditions?: Condition[] | null;
  /** State of each disk. Key: name of the disk in `spec.disks`. */
  diskStatus?: Record<string, DiskStatus> | null;
  /** Region of the node, from its label `topology.kubernetes.io/region`. Empty: no label. */
  region?: string;
  /** Zone of the node, from its label `topology.kubernetes.io/zone`. Empty: no label. */
  zone?: string;
  /** `true`: replicas leave the node because it is drained and the setting node-drain-policy asks for that. */
  autoEvicting?: boolean;
  /** CPU manager policy of the node's kubelet, such as `none` or `static`. Lateen does not write it. */
  cpuPolicy?: string;
  /** State of the comparison of snapshots between replicas. */
  snapshotCheckStatus?: SnapshotCheckStatus;
}

/** State of the comparison of snapshots between replicas on a node. */
export interface SnapshotCheckStatus {
  /** When all snapshots were last checked. */
  lastPeriodicCheckedAt?: Timestamp;
}

export const longhornNodeType = longhornType<LonghornNode>('Node', 'nodes');
