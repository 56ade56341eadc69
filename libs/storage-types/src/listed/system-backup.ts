import type { KubeObject, Timestamp } from '@lateen/api-types';
import type { Condition } from '../meta/condition.ts';
import { longhornType } from '../meta/longhorn-type.ts';

/**
 * A backup of Longhorn's own objects. Lateen ignores objects of this kind; it exists so that clients of Longhorn can list it. Lateen's
 * Backups have these objects.
 */
export interface SystemBackup extends KubeObject {
  spec: SystemBackupSpec;
  status?: SystemBackupStatus;
}

/** What is backed up in addition to the objects. */
export interface SystemBackupSpec {
  /** Which volumes are backed up too. `if-not-present`: those without a recent backup. `always`: all. `disabled`: none. */
  volumeBackupPolicy?: string | null;
}

/** Progress and result of the backup. */
export interface SystemBackupStatus {
  /** Name of the node whose volume manager processes this object. */
  ownerID?: string;
  /** State of the backup, such as `Generating`, `Uploading`, `Ready` or `Error`. */
  state?: string;
  /** Conditions of the backup: what does not work, and why. */
  conditions?: Condition[] | null;
  /** When the backup was created. */
  createdAt?: Timestamp;
  /** Version of Longhorn that created the backup. */
  version?: string | null;
  /** Git commit that this version was built from. */
  gitCommit?: string | null;
  /** Container image of the manager that created the backup. */
  managerImage?: string;
  /** When the status was last read from the target. */
  lastSyncedAt?: Timestamp | null;
}

export const systemBackupType = longhornType<SystemBackup>('SystemBackup', 'systembackups');
