import type { KubeObject } from '../meta/kube-object.ts';
import { veleroType } from '../meta/velero-type.ts';

/** A request to delete a backup with everything that was stored for it. */
export interface DeleteBackupRequest extends KubeObject {
  spec: DeleteBackupRequestSpec;
  status?: DeleteBackupRequestStatus;
}

/** Which backup is deleted. */
export interface DeleteBackupRequestSpec {
  /** Name of the Backup to delete, in the same namespace. */
  backupName: string;
}

export const deleteBackupRequestPhases = ['New', 'InProgress', 'Processed'] as const;
export type DeleteBackupRequestPhase = (typeof deleteBackupRequestPhases)[number];

/** Progress and result of the deletion. */
export interface DeleteBackupRequestStatus {
  /**
   * `New`: not started. `InProgress`: the backup is being deleted. `Processed`: the deletion has ended; it failed if there are errors.
   * After a success, the Backup and this request are gone.
   */
  phase?: DeleteBackupRequestPhase;
  /** Why the backup could not be deleted completely. Empty: no error. The Backup stays; to try again, create another request. */
  errors?: string[] | null;
}

export const deleteBackupRequestType = veleroType<DeleteBackupRequest>(
  'v1',
  'DeleteBackupRequest',
  'deletebackuprequests',
);
