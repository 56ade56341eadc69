import type { KubeObject } from '@lateen/api-types';
import type { Condition } from '../meta/condition.ts';
import type { DataEngine } from '../meta/data-engine.ts';
import { longhornType } from '../meta/longhorn-type.ts';

/** A directory or process on a node that belongs to no Replica or Engine. Deleting this object deletes what it stands for. */
export interface Orphan extends KubeObject {
  spec: OrphanSpec;
  status?: OrphanStatus;
}

/** `replica` is a folder with data; the others are processes. */
export const orphanTypes = ['replica', 'engine-instance', 'replica-instance'] as const;
/** @unchecked */
export type OrphanType = (typeof orphanTypes)[number];

/** Types of an Orphan's conditions (longhorn.md section 1). */
export const orphanConditionTypes = ['DataCleanable', 'InstanceExist', 'Error'] as const;
export type OrphanConditionType = (typeof orphanConditionTypes)[number];

/** Keys of `spec.parameters` (longhorn-api.md section 10). */
export const orphanParameters = {
  dataName: 'DataName',
  diskName: 'DiskName',
  diskUuid: 'DiskUUID',
  diskPath: 'DiskPath',
  diskType: 'DiskType',
  instanceName: 'InstanceName',
  instanceUuid: 'InstanceUUID',
  instanceManager: 'InstanceManager',
} as const;

/** What was found, and where. */
export interface OrphanSpec {
  /** Name of the node on which it was found. */
  nodeID?: string;
  /** What was found. `replica`: a directory with data of a replica. `engine-instance`, `replica-instance`: a running process. */
  orphanType?: OrphanType;
  /** Data engine of the directory or process. Only `v1` is supported by Lateen. */
  dataEngine?: DataEngine;
  /**
   * Which directory or process it is. Keys for a directory: `DataName`, `DiskName`, `DiskUUID`, `DiskPath`, `DiskType`; for a process:
   * `InstanceName`, `InstanceUUID`, `InstanceManager`.
   */
  parameters?: Record<string, string>;
}

/** Whether the directory or process can be deleted. */
export interface OrphanStatus {
  /** Name of the node whose volume manager processes this object. */
  ownerID?: string;
  /**
   * Conditions of the orphan. `DataCleanable`: the directory is deleted together with this object. `InstanceExist`: the process still runs.
   * `Error`: why the deletion failed.
   */
  conditions?: Condition[] | null;
}

export const orphanType = longhornType<Orphan>('Orphan', 'orphans');
