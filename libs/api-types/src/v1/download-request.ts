import type { KubeObject } from '../meta/kube-object.ts';
import type { Timestamp } from '../meta/scalars.ts';
import { veleroType } from '../meta/velero-type.ts';

/** Asks for a link to a file in a storage location, such as the log of a backup. */
export interface DownloadRequest extends KubeObject {
  spec: DownloadRequestSpec;
  status?: DownloadRequestStatus;
}

/** Names the file. */
export interface DownloadRequestSpec {
  /** The file that is wanted. */
  target: DownloadTarget;
}

/** One file of a backup or a restore. */
export interface DownloadTarget {
  /** Which file. */
  kind: DownloadTargetKind;
  /** Name of the Backup or Restore it belongs to. */
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

/** The answer. */
export interface DownloadRequestStatus {
  /** Processed when the link is there. */
  phase?: DownloadRequestPhase;
  /** Link that needs no further credentials until it expires; the file may still be missing. Treat it as a secret. */
  downloadURL?: string;
  /** When the link ends and the request is deleted. */
  expiration?: Timestamp | null;
}

export const downloadRequestType = veleroType<DownloadRequest>('v1', 'DownloadRequest', 'downloadrequests');
