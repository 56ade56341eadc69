import type { KubeObject } from '@lateen/api-types';
import type { Condition } from '../meta/condition.ts';
import { longhornType } from '../meta/longhorn-type.ts';

/** A restore of Longhorn's own objects. Lateen ignores objects of this kind; it exists so that clients of Longhorn can list it. */
export interface SystemRestore extends KubeObject {
  spec: SystemRestoreSpec;
  status?: SystemRestoreStatus;
}

/** Which backup is restored. */
export interface SystemRestoreSpec {
  /** Name of the SystemBackup to restore. */
  systemBackup: string;
}

/** Progress and result of the restore. */
export interface SystemRestoreStatus {
  /** Name of the node whose volume manager processes this object. */
  ownerID?: string;
  /** State of the restore, such as `Restoring`, `Completed` or `Error`. */
  state?: string;
  /** URL that the backup is read from. */
  sourceURL?: string;
  /** Conditions of the restore: what does not work, and why. */
  conditions?: Condition[] | null;
}

export const systemRestoreType = longhornType<SystemRestore>('SystemRestore', 'systemrestores');
