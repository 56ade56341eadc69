import type { KubeObject } from '../meta/kube-object.ts';
import type { Timestamp } from '../meta/scalars.ts';
import { veleroType } from '../meta/velero-type.ts';

/** A request for a link to a file of a backup or restore, such as its log. `lateen backup logs` and similar commands create it. */
export interface DownloadRequest extends KubeObject {
  spec: DownloadRequestSpec;
  status?: DownloadRequestStatus;
}

/** Which file is wanted. */
export interface DownloadRequestSpec {
  /** The file, by its type and the name of the Backup or Restore. */
  target: DownloadTarget;
}

/** A file of a backup or restore. */
export interface DownloadTarget {
  /** Type of the file, such as `BackupLog`, `BackupContents` (the archive of the objects), `BackupResults` or `RestoreLog`. */
  kind: DownloadTargetKind;
  /** Name of the Backup that the file belongs to; for types that begin with Restore, of the Restore. */
  name: string;
}

export const downloadTargetKinds = [
  'BackupLog',
  'BackupContents',
  'BackupVolumeSnapshots',
  'BackupItemOperations',
  'BackupResourceList',
  'BackupResults',
  'RestoreLog',
  'RestoreResults',
  'RestoreResourceList',
  'RestoreItemOperations',
  'CSIBackupVolumeSnapshots',
  'CSIBackupVolumeSnapshotContents',
  'BackupVolumeInfos',
  'RestoreVolumeInfo',
  'BackupItemOutcomes',
  'RestoreItemOutcomes',
  'RestorePlan',
] as const;
export type DownloadTargetKind = (typeof downloadTargetKinds)[number];

export const downloadRequestPhases = ['New', 'Processed'] as const;
export type DownloadRequestPhase = (typeof downloadRequestPhases)[number];

/** The link to the file. */
export interface DownloadRequestStatus {
  /** `New`: the link is not there yet. `Processed`: downloadURL is set. */
  phase?: DownloadRequestPhase;
  /**
   * Signed link to the file. Whoever has it can read the file until it expires, so keep it secret. It is set even if the file does not
   * exist: the store then answers with 404.
   */
  downloadURL?: string;
  /** When the link stops working, 10 minutes after it was created. The request is deleted after that. */
  expiration?: Timestamp | null;
}

export const downloadRequestType = veleroType<DownloadRequest>('v1', 'DownloadRequest', 'downloadrequests');
