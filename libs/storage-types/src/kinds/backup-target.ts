import type { Duration, KubeObject, Timestamp } from '@lateen/api-types';
import type { Condition } from '../meta/condition.ts';
import { longhornType } from '../meta/longhorn-type.ts';

/** A place that backups of volumes go to. */
export interface BackupTarget extends KubeObject {
  spec: BackupTargetSpec;
  status?: BackupTargetStatus;
}

/** Name of the target that volumes use which name none; it cannot be deleted. */
export const defaultBackupTarget = 'default';

/** Type of the condition that says why a target cannot be used. */
export const backupTargetUnavailable = 'Unavailable';

/** Where it is, and how often it is looked at. */
export interface BackupTargetSpec {
  /** Address, such as s3://bucket@region/path/ or nfs://server:/path; empty for a target that is not set up. */
  backupTargetURL?: string;
  /** Name of the Secret with the credentials. */
  credentialSecret?: string;
  /** Time between two looks at the target; zero for none. */
  pollInterval?: Duration;
  /** When a look at the target was last asked for. */
  syncRequestedAt?: Timestamp | null;
}

/** Whether it can be used. */
export interface BackupTargetStatus {
  /** Node whose manager looks after the target. */
  ownerID?: string;
  /** Whether it could be read at the last look. */
  available?: boolean;
  /** Why it could not. */
  conditions?: Condition[] | null;
  /** When it was last looked at. */
  lastSyncedAt?: Timestamp | null;
}

export const backupTargetType = longhornType<BackupTarget>('BackupTarget', 'backuptargets');
