export const backupMethods = ['NativeSnapshot', 'PodVolumeBackup', 'CSISnapshot'] as const;
export type BackupMethod = (typeof backupMethods)[number];

/** How one volume was backed up; an entry of `<backup>-volumeinfo.json.gz` (object-store-layout.md section 5.5). Sizes are bytes. */
export interface BackupVolumeInfo {
  pvcName?: string;
  pvcNamespace?: string;
  pvName?: string;
  /** Absent for what was skipped. */
  backupMethod?: BackupMethod;
  snapshotDataMoved: boolean;
  preserveLocalSnapshot: boolean;
  skipped: boolean;
  /** `<approach>: <reason>;` for each approach. */
  skippedReason?: string;
  startTimestamp?: string;
  completionTimestamp?: string;
  result?: 'succeeded' | 'failed';
  csiSnapshotInfo?: CsiSnapshotInfo;
  snapshotDataMovementInfo?: SnapshotDataMovementInfo;
  nativeSnapshotInfo?: NativeSnapshotInfo;
  pvbInfo?: PodVolumeInfo;
  pvInfo?: PersistentVolumeInfo;
}

export interface CsiSnapshotInfo {
  snapshotHandle: string;
  size: number;
  driver: string;
  vscName: string;
  operationID?: string;
  ReadyToUse?: boolean | null;
  volumeGroupSnapshotHandle?: string;
}

export interface SnapshotDataMovementInfo {
  dataMover: string;
  uploaderType: string;
  retainedSnapshot?: string;
  snapshotHandle: string;
  operationID: string;
  size: number;
  incrementalSize?: number;
  Phase: string;
}

export interface NativeSnapshotInfo {
  snapshotHandle: string;
  volumeType: string;
  volumeAZ: string;
  iops: string;
  Phase: string;
}

export interface PodVolumeInfo {
  snapshotHandle?: string;
  size?: number;
  incrementalSize?: number;
  uploaderType: string;
  volumeName: string;
  podName: string;
  podNamespace: string;
  nodeName?: string;
  Phase: string;
}

export interface PersistentVolumeInfo {
  reclaimPolicy: string;
  labels: Record<string, string> | null;
}

/** A snapshot that a VolumeSnapshotter took; an entry of `<backup>-volumesnapshots.json.gz` (section 5.1). */
export interface NativeSnapshot {
  spec: {
    backupName: string;
    backupUID: string;
    location: string;
    persistentVolumeName: string;
    providerVolumeID: string;
    volumeType: string;
    volumeAZ?: string;
    volumeIOPS?: number;
  };
  status: { providerSnapshotID?: string; phase: 'New' | 'Completed' | 'Failed' };
}
