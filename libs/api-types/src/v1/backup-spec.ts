import type { LabelSelector } from '../meta/label-selector.ts';
import type { Duration, Integer } from '../meta/scalars.ts';
import type { TypedLocalObjectReference } from '../meta/typed-local-object-reference.ts';
import type { BackupType } from '../phases/backup-type.ts';
import type { BackupHooks } from './backup-hooks.ts';

/** What to back up, how, where to and for how long. */
export interface BackupSpec {
  /** Labels for the Backups that a Schedule makes from this template. */
  metadata?: BackupTemplateMetadata;
  /** Namespaces to back up, globs allowed; all when empty. */
  includedNamespaces?: string[] | null;
  /** Namespaces to leave out, globs allowed. */
  excludedNamespaces?: string[] | null;
  /** Resources to back up, all when empty. Not to be mixed with the filters by scope. */
  includedResources?: string[] | null;
  /** Resources to leave out. Not to be mixed with the filters by scope. */
  excludedResources?: string[] | null;
  /** Cluster-scoped resources to back up; "*" means all. */
  includedClusterScopedResources?: string[] | null;
  /** Cluster-scoped resources to leave out; "*" means all. */
  excludedClusterScopedResources?: string[] | null;
  /** Namespaced resources to back up; "*" means all. */
  includedNamespaceScopedResources?: string[] | null;
  /** Namespaced resources to leave out; "*" means all. */
  excludedNamespaceScopedResources?: string[] | null;
  /** Labels an object must carry to be backed up. Not to be mixed with orLabelSelectors. */
  labelSelector?: LabelSelector | null;
  /** Selectors of which at least one must match. Not to be mixed with labelSelector. */
  orLabelSelectors?: LabelSelector[] | null;
  /** Whether volumes are snapshotted; null leaves it to what the backup meets. */
  snapshotVolumes?: boolean | null;
  /** How long the backup is kept. */
  ttl?: Duration;
  /** Label whose value puts claims into one group snapshot. */
  volumeGroupSnapshotLabelKey?: string;
  /** Whether cluster-scoped objects are included; null takes those that included objects need. */
  includeClusterResources?: boolean | null;
  /** Commands to run in pods around their backup. */
  hooks?: BackupHooks;
  /** Name of the BackupStorageLocation to store the backup in; the default location when empty. */
  storageLocation?: string;
  /** Names of the VolumeSnapshotLocations to use, at most one for a provider. */
  volumeSnapshotLocations?: string[];
  /** Old name of defaultVolumesToFsBackup; true is carried over to it. */
  defaultVolumesToRestic?: boolean | null;
  /** Whether pod volumes are read through the file system unless a pod says otherwise. */
  defaultVolumesToFsBackup?: boolean | null;
  /** For a plural resource, a comma list of "namespace/name" or "name" to back up first and in that order. */
  orderedResources?: Record<string, string> | null;
  /** Longest wait for a CSI snapshot to be taken. */
  csiSnapshotTimeout?: Duration;
  /** Longest wait for the operations of plugins and data movers. */
  itemOperationTimeout?: Duration;
  /** ConfigMap with policies that choose what happens to volumes and resources. */
  resourcePolicy?: TypedLocalObjectReference;
  /** Whether snapshot data is moved to the storage location. */
  snapshotMoveData?: boolean | null;
  /** Data mover for that; empty, "velero", "velero-fs" or (for volumes of mode Block) "velero-block" means the built-in one. */
  datamover?: string;
  /** Whether movements read everything ("Full"), or what has changed since the snapshot before, where that can be told; "Incremental" when absent. */
  backupType?: BackupType;
  /** Settings for reading volumes. */
  uploaderConfig?: UploaderConfigForBackup | null;
  /** Whether the backup is to end and to be taken back. Of no effect once it has ended; not allowed in the template of a Schedule. */
  cancel?: boolean;
}

export interface BackupTemplateMetadata {
  /** Labels of the Backup. */
  labels?: Record<string, string>;
  /** Annotations of the Backup. */
  annotations?: Record<string, string>;
}

/** How volumes are read. */
export interface UploaderConfigForBackup {
  /** Files read at the same time. */
  parallelFilesUpload?: Integer;
}
