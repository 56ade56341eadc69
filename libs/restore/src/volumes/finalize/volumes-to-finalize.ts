import type { Restore } from '@lateen/api-types';
import type { BackupVolumeInfo, RestoreOperation, RestoreVolumeInfo } from '@lateen/backup-store';
import type { WaitPorts } from '../volume-in-cluster.ts';

export interface VolumePorts extends WaitPorts {
  veleroNamespace: string;
}

export interface VolumesToFinalize {
  restore: Restore;
  /** The volume info of the backup. */
  backedUp: readonly BackupVolumeInfo[];
  /** The volume info of the restore. */
  restored: readonly RestoreVolumeInfo[];
  operations: readonly RestoreOperation[];
  /** Claims that could not be restored. When other claims of their namespace were written, data of two times would be mixed. */
  failedClaims?: readonly { namespace: string; name: string }[];
}

/** An error of the restore. */
export interface VolumeProblem {
  namespace: string;
  message: string;
}
