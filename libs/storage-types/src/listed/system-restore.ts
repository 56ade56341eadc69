import type { KubeObject } from '@lateen/api-types';
import type { Condition } from '../meta/condition.ts';
import { longhornType } from '../meta/longhorn-type.ts';

/** A restore of the volume manager's own objects. The volume manager lists these and acts on none. */
export interface SystemRestore extends KubeObject {
  spec: SystemRestoreSpec;
  status?: SystemRestoreStatus;
}

/** What is restored. */
export interface SystemRestoreSpec {
  /** Name of the SystemBackup. */
  systemBackup: string;
}

/** How far the restore has come. */
export interface SystemRestoreStatus {
  /** Node whose manager looks after the object. */
  ownerID?: string;
  /** How far the restore has come. */
  state?: string;
  /** Address that it is read from. */
  sourceURL?: string;
  /** What holds for it. */
  conditions?: Condition[] | null;
}

export const systemRestoreType = longhornType<SystemRestore>('SystemRestore', 'systemrestores');
