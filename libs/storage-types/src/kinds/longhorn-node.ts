import type { Integer, KubeObject, Timestamp } from '@lateen/api-types';
import type { Condition } from '../meta/condition.ts';
import { longhornType } from '../meta/longhorn-type.ts';
import type { DiskSpec, DiskStatus } from './disk.ts';

/** A node of the cluster with the disks that replicas may use. */
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

/** What a node may be used for. */
export interface LonghornNodeSpec {
  /** Name of the node of Kubernetes. */
  name?: string;
  /** Disks, by names that their administrator chose. */
  disks?: Record<string, DiskSpec>;
  /** Whether new replicas may be put there. */
  allowScheduling?: boolean;
  /** Whether all replicas are to move away. */
  evictionRequested?: boolean;
  /** Tags that a volume can select by. */
  tags?: string[];
  /** Thousandths of a processor that the instance manager asks for; 0 takes the setting. */
  instanceManagerCPURequest?: Integer;
}

/** What was found on a node. */
export interface LonghornNodeStatus {
  /** What holds for the node. */
  conditions?: Condition[] | null;
  /** Disks as they were found, by name. */
  diskStatus?: Record<string, DiskStatus> | null;
  /** Region of the node. */
  region?: string;
  /** Zone of the node. */
  zone?: string;
  /** Whether replicas move away because the node is drained. */
  autoEvicting?: boolean;
  /** How the kubelet gives out processors. */
  cpuPolicy?: string;
  /** How the check of snapshots goes. */
  snapshotCheckStatus?: SnapshotCheckStatus;
}

/** How the check of snapshots on a node goes. */
export interface SnapshotCheckStatus {
  /** When all snapshots were last looked at. */
  lastPeriodicCheckedAt?: Timestamp;
}

export const longhornNodeType = longhornType<LonghornNode>('Node', 'nodes');
