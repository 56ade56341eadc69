import type { KubeObject } from '@lateen/api-types';
import type { Condition } from '../meta/condition.ts';
import type { DataEngine } from '../meta/data-engine.ts';
import { longhornType } from '../meta/longhorn-type.ts';

/** Something on a node that belongs to no object: deleting the Orphan deletes it. */
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
  /** Node that it is on. */
  nodeID?: string;
  /** What it is. */
  orphanType?: OrphanType;
  /** Version of the data path that it is of. */
  dataEngine?: DataEngine;
  /** Which it is: names of disk and folder, or of process and instance manager. */
  parameters?: Record<string, string>;
}

/** Whether it can be deleted. */
export interface OrphanStatus {
  /** Node whose manager looks after the object. */
  ownerID?: string;
  /** What holds for it. */
  conditions?: Condition[] | null;
}

export const orphanType = longhornType<Orphan>('Orphan', 'orphans');
