import type { KubeObject } from '../meta/kube-object.ts';
import { veleroType } from '../meta/velero-type.ts';

/** Asks for a backup and all that was stored for it to be deleted. */
export interface DeleteBackupRequest extends KubeObject {
  spec: DeleteBackupRequestSpec;
  status?: DeleteBackupRequestStatus;
}

/** Names what to delete. */
export interface DeleteBackupRequestSpec {
  /** Name of the Backup. */
  backupName: string;
}

export const deleteBackupRequestPhases = ['New', 'InProgress', 'Processed'] as const;
export type DeleteBackupRequestPhase = (typeof deleteBackupRequestPhases)[number];

/** How the deletion went. */
export interface DeleteBackupRequestStatus {
  /** Where in its life the request is; Processed does not mean success. */
  phase?: DeleteBackupRequestPhase;
  /** What could not be deleted; empty after a success. */
  errors?: string[] | null;
}

export const deleteBackupRequestType = veleroType<DeleteBackupRequest>(
  'v1',
  'DeleteBackupRequest',
  'deletebackuprequests',
);
