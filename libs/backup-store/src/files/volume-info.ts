import { always, struct, unlessEmpty } from '../json/go-struct.ts';
import { flag, integer, listOf, mapOf, pointerTo, text } from '../json/go-type.ts';
import { jsonFile } from '../json/json-file.ts';

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

/** How one volume was restored; an entry of `<restore>-volumeinfo.json.gz` (section 5.6). */
export interface RestoreVolumeInfo {
  pvcName?: string;
  pvcNamespace?: string;
  pvName?: string;
  restoreMethod?: 'NativeSnapshot' | 'PodVolumeRestore' | 'CSISnapshot';
  snapshotDataMoved: boolean;
  csiSnapshotInfo?: CsiSnapshotInfo;
  snapshotDataMovementInfo?: SnapshotDataMovementInfo;
  nativeSnapshotInfo?: NativeSnapshotInfo;
  pvrInfo?: PodVolumeInfo;
}

const csiSnapshotInfo = struct({
  snapshotHandle: always(text),
  size: always(integer),
  driver: always(text),
  vscName: always(text),
  operationID: unlessEmpty(text),
  ReadyToUse: always(pointerTo(flag)),
  volumeGroupSnapshotHandle: unlessEmpty(text),
});

const snapshotDataMovementInfo = struct({
  dataMover: always(text),
  uploaderType: always(text),
  retainedSnapshot: unlessEmpty(text),
  snapshotHandle: always(text),
  operationID: always(text),
  size: always(integer),
  incrementalSize: unlessEmpty(integer),
  Phase: always(text),
});

const nativeSnapshotInfo = struct({
  snapshotHandle: always(text),
  volumeType: always(text),
  volumeAZ: always(text),
  iops: always(text),
  Phase: always(text),
});

const podVolumeInfo = struct({
  snapshotHandle: unlessEmpty(text),
  size: unlessEmpty(integer),
  incrementalSize: unlessEmpty(integer),
  uploaderType: always(text),
  volumeName: always(text),
  podName: always(text),
  podNamespace: always(text),
  nodeName: unlessEmpty(text),
  Phase: always(text),
});

const volume = { pvcName: unlessEmpty(text), pvcNamespace: unlessEmpty(text), pvName: unlessEmpty(text) };

const snapshots = {
  csiSnapshotInfo: unlessEmpty(pointerTo(csiSnapshotInfo)),
  snapshotDataMovementInfo: unlessEmpty(pointerTo(snapshotDataMovementInfo)),
  nativeSnapshotInfo: unlessEmpty(pointerTo(nativeSnapshotInfo)),
};

const backedUp = struct({
  ...volume,
  backupMethod: unlessEmpty(text),
  snapshotDataMoved: always(flag),
  preserveLocalSnapshot: always(flag),
  skipped: always(flag),
  skippedReason: unlessEmpty(text),
  startTimestamp: unlessEmpty(text),
  completionTimestamp: unlessEmpty(text),
  result: unlessEmpty(text),
  ...snapshots,
  pvbInfo: unlessEmpty(pointerTo(podVolumeInfo)),
  pvInfo: unlessEmpty(pointerTo(struct({ reclaimPolicy: always(text), labels: always(mapOf(text)) }))),
});

const restored = struct({
  ...volume,
  restoreMethod: unlessEmpty(text),
  snapshotDataMoved: always(flag),
  ...snapshots,
  pvrInfo: unlessEmpty(pointerTo(podVolumeInfo)),
});

export const volumeInfoFile = jsonFile<BackupVolumeInfo[]>('the volume info', listOf(backedUp), () => []);
export const restoreVolumeInfoFile = jsonFile<RestoreVolumeInfo[]>('the volume info', listOf(restored), () => []);
