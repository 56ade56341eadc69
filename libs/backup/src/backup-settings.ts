import { type PodVolumeOptions, podVolumeOptionsDefault } from './engine/pod-volumes/pod-volume-options.ts';

/** What the server can be told about backups; flags of the controller (performance.md section 1). Durations as Go writes them. */
export interface BackupSettings {
  /** For backups that name no location when none is marked as the default. */
  defaultLocation: string;
  /** Name by provider, of VolumeSnapshotLocations. */
  defaultSnapshotLocations: ReadonlyMap<string, string>;
  defaultTtl: string;
  defaultItemOperationTimeout: string;
  defaultSnapshotMoveData: boolean;
  defaultVolumesToFsBackup: boolean;
  /** ConfigMap whose volume policies hold for every backup, after its own. */
  globalVolumePolicies: string | undefined;
  resourceTimeout: string;
  /** Backups that run at the same time. */
  concurrentBackups: number;
  /** Item blocks of one backup that are worked on at the same time. */
  itemBlockWorkers: number;
  /** Objects of one page of a list. */
  pageSize: number;
  /** Every served version of each group is backed up, not only the preferred one. */
  allVersions: boolean;
  podVolumes: PodVolumeOptions;
}

/** As Velero has them, but for two: more than one backup and one item block at a time. */
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
