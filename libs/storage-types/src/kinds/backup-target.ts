import type { Duration, KubeObject, Timestamp } from '@lateen/api-types';
import type { Condition } from '../meta/condition.ts';
import { longhornType } from '../meta/longhorn-type.ts';

/** A place that stores backups of volumes: a bucket or an NFS export. */
export interface BackupTarget extends KubeObject {
  spec: BackupTargetSpec;
  status?: BackupTargetStatus;
}

/** Name of the target that volumes use which name none; it cannot be deleted. */
export const defaultBackupTarget = 'default';

/** Type of the condition that says why a target cannot be used. */
export const backupTargetUnavailable = 'Unavailable';

/** Address of the target, its credentials, and how often it is read. */
export interface BackupTargetSpec {
  /**
   * Address of the target, such as `s3://bucket@region/path/` or `nfs://server:/export/path`. Empty: the target is not set up, and no
   * backups can be made to it.
   */
  backupTargetURL?: string;
  /**
   * Name of a Secret with the credentials, in the same namespace. For S3 its keys are `AWS_ACCESS_KEY_ID`, `AWS_SECRET_ACCESS_KEY` and, for
   * stores other than AWS, `AWS_ENDPOINTS`. Empty: no credentials, as for NFS.
   */
  credentialSecret?: string;
  /** Time between two reads of the list of backups in the target, as a duration such as `5m`. `0s`: never by itself. */
  pollInterval?: Duration;
  /** When the list of backups was last requested to be read. Set it to the current time to have it read at once. */
  syncRequestedAt?: Timestamp | null;
}

/** Whether the target can be used. */
export interface BackupTargetStatus {
  /** Name of the node whose volume manager processes this object. */
  ownerID?: string;
  /** Whether the target could be read the last time. `false`: the condition Unavailable says why. */
  available?: boolean;
  /** Conditions of the target. `Unavailable` with status True says why it cannot be used. */
  conditions?: Condition[] | null;
  /** When the list of backups was last read from the target. */
  lastSyncedAt?: Timestamp | null;
}

export const backupTargetType = longhornType<BackupTarget>('BackupTarget', 'backuptargets');
