import type { KubeObject, Timestamp } from '@lateen/api-types';
import type { Condition } from '../meta/condition.ts';
import { longhornType } from '../meta/longhorn-type.ts';

/** A backup of the volume manager's own objects. The volume manager lists these and acts on none. */
export interface SystemBackup extends KubeObject {
  spec: SystemBackupSpec;
  status?: SystemBackupStatus;
}

/** What is backed up with the objects. */
export interface SystemBackupSpec {
  /** Whether volumes are backed up too: if-not-present, always, disabled. */
  volumeBackupPolicy?: string | null;
}

/** How far the backup has come. */
export interface SystemBackupStatus {
  /** Node whose manager looks after the object. */
  ownerID?: string;
  /** How far the backup has come. */
  state?: string;
  /** What holds for it. */
  conditions?: Condition[] | null;
  /** When it was made. */
  createdAt?: Timestamp;
  /** Version of the manager that made it. */
  version?: string | null;
  /** Commit that this manager was built from. */
  gitCommit?: string | null;
  /** Image of this manager. */
  managerImage?: string;
  /** When the status was last read from the target. */
  lastSyncedAt?: Timestamp | null;
}

export const systemBackupType = longhornType<SystemBackup>('SystemBackup', 'systembackups');
