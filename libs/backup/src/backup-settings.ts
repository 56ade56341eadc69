import { type PodVolumeOptions, podVolumeOptionsDefault } from './engine/pod-volumes/pod-volume-options.ts';

/** The server's settings for backups; flags of the controller (performance.md section 1). Durations in Go's notation. */
export interface BackupSettings {
  /** The location of backups that name none, when no location is marked as the default. */
  defaultLocation: string;
  /** Names of VolumeSnapshotLocations by provider. */
  defaultSnapshotLocations: ReadonlyMap<string, string>;
  defaultTtl: string;
  defaultItemOperationTimeout: string;
  defaultSnapshotMoveData: boolean;
  defaultVolumesToFsBackup: boolean;
  /** The ConfigMap whose volume policies apply to every backup, after the backup's own. */
  globalVolumePolicies: string | undefined;
  resourceTimeout: string;
  /** How many backups run at the same time. */
  concurrentBackups: number;
  /** How many item blocks of one backup are backed up at the same time. */
  itemBlockWorkers: number;
  /** How many objects one page of a list has. */
  pageSize: number;
  /** Every served version of each group is backed up, not only the preferred one. */
  allVersions: boolean;
  podVolumes: PodVolumeOptions;
}

/** Velero's defaults with two exceptions: more than one backup and more than one item block at a time. */
export const backupSettingsDefault: BackupSettings = {
  defaultLocation: 'default',
  defaultSnapshotLocations: new Map(),
  defaultTtl: '720h0m0s',
  defaultItemOperationTimeout: '4h0m0s',
  defaultSnapshotMoveData: false,
  defaultVolumesToFsBackup: false,
  globalVolumePolicies: undefined,
  resourceTimeout: '10m0s',
  concurrentBackups: 2,
  itemBlockWorkers: 8,
  pageSize: 500,
  allVersions: false,
  podVolumes: podVolumeOptionsDefault,
};
