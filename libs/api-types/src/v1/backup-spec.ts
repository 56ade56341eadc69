import type { LabelSelector } from '../meta/label-selector.ts';
import type { Duration, Integer } from '../meta/scalars.ts';
import type { TypedLocalObjectReference } from '../meta/typed-local-object-reference.ts';
import type { BackupType } from '../phases/backup-type.ts';
import type { BackupHooks } from './backup-hooks.ts';

/** What is backed up, how, to which storage location, and for how long it is kept. */
export interface BackupSpec {
  /** Labels and annotations for the Backups that a Schedule creates from this template. No effect in a Backup. */
  metadata?: BackupTemplateMetadata;
  /** Namespaces to back up: names or patterns such as `shop-*` (`*`, `?`, `[a-z]`). Empty or `*`: all namespaces. */
  includedNamespaces?: string[] | null;
  /**
   * Namespaces that are not backed up: names or patterns such as `*-test`. They have priority over includedNamespaces. Empty: none is
   * excluded.
   */
  excludedNamespaces?: string[] | null;
  /**
   * Resources to back up, named as in kubectl: `deployments`, `deploy`, `deployments.apps`. Empty or `*`: all resources. Cannot be combined
   * with the four fields whose names end in ScopedResources.
   */
  includedResources?: string[] | null;
  /**
   * Resources that are not backed up, named as in includedResources. Empty: none is excluded. Cannot be combined with the four fields whose
   * names end in ScopedResources.
   */
  excludedResources?: string[] | null;
  /**
   * Cluster-scoped resources to back up, such as `storageclasses`; `*` means all. Empty: those that other objects of the backup need; all
   * of them if the whole cluster is backed up without resource filters. Cannot be combined with includedResources, excludedResources and
   * includeClusterResources.
   */
  includedClusterScopedResources?: string[] | null;
  /**
   * Cluster-scoped resources that are not backed up, even if other objects need them; `*` means all. Empty: none is excluded. Cannot be
   * combined with includedResources, excludedResources and includeClusterResources.
   */
  excludedClusterScopedResources?: string[] | null;
  /**
   * Namespaced resources to back up, such as `configmaps`. Empty or `*`: all. Cannot be combined with includedResources, excludedResources
   * and includeClusterResources.
   */
  includedNamespaceScopedResources?: string[] | null;
  /**
   * Namespaced resources that are not backed up; `*` means all. Empty: none is excluded. Cannot be combined with includedResources,
   * excludedResources and includeClusterResources.
   */
  excludedNamespaceScopedResources?: string[] | null;
  /**
   * Label selector: only objects with matching labels are backed up, and the objects that these need. Empty: all objects. Cannot be
   * combined with orLabelSelectors.
   */
  labelSelector?: LabelSelector | null;
  /**
   * List of label selectors: an object is backed up if at least one of them matches its labels. Empty: all objects. Cannot be combined with
   * labelSelector.
   */
  orLabelSelectors?: LabelSelector[] | null;
  /**
   * Whether snapshots of volumes are taken. `true` or empty: yes, unless a volume policy or a file system backup covers the volume.
   * `false`: no CSI and no native snapshots, except where a volume policy asks for one.
   */
  snapshotVolumes?: boolean | null;
  /**
   * How long the backup is kept, as a duration such as `720h`. After that, Lateen deletes it with its data. Empty or 0: the flag
   * --default-backup-ttl of the server, 720h (30 days) if that is not set.
   */
  ttl?: Duration;
  /**
   * Label key of PersistentVolumeClaims. Claims of a namespace with the same value of this label are snapshotted together, in one
   * VolumeGroupSnapshot. Default: `velero.io/volume-group`.
   */
  volumeGroupSnapshotLabelKey?: string;
  /**
   * Whether cluster-scoped objects are backed up. `true`: yes. `false`: no, not even if other objects need them. Empty: all of them in a
   * backup of all namespaces, otherwise those that other objects of the backup need. Cannot be combined with the four fields whose names
   * end in ScopedResources.
   */
  includeClusterResources?: boolean | null;
  /** Commands to run in pods before and after they are backed up. Empty: only hooks in annotations of pods run. */
  hooks?: BackupHooks;
  /** Name of the BackupStorageLocation that stores the backup. Empty: the default location, whose `spec.default` is true. */
  storageLocation?: string;
  /**
   * Names of the VolumeSnapshotLocations for native snapshots, at most one per provider. Empty: the only location of a provider, or the
   * default that the server's flag --default-volume-snapshot-locations names. No effect on CSI snapshots.
   */
  volumeSnapshotLocations?: string[];
  /** Deprecated: use defaultVolumesToFsBackup. `true` has the effect of `defaultVolumesToFsBackup: true`. */
  defaultVolumesToRestic?: boolean | null;
  /**
   * Which pod volumes are backed up through the file system. `true`: all, except those that the pod's annotation
   * `backup.velero.io/backup-volumes-excludes` lists. `false`: only those that its annotation `backup.velero.io/backup-volumes` lists.
   * Empty: the flag --default-volumes-to-fs-backup of the server, `false` if that is not set.
   */
  defaultVolumesToFsBackup?: boolean | null;
  /**
   * Objects to back up first, and in which order. Key: plural resource, such as `pods`. Value: names separated by commas, `namespace/name`,
   * or `name` for cluster-scoped objects. Empty: no order is set.
   */
  orderedResources?: Record<string, string> | null;
  /**
   * How long to wait until the CSI driver has taken a snapshot, as a duration such as `10m`. After that, the snapshot counts as failed. It
   * is also the operationTimeout of the DataUploads of the backup. Empty or 0: 10m.
   */
  csiSnapshotTimeout?: Duration;
  /**
   * How long an operation in the background may take, as a duration such as `4h`: a volume upload, or an operation of a plugin. After that,
   * it is cancelled and counts as failed. Empty or 0: the flag --default-item-operation-timeout of the server, 4h if that is not set.
   */
  itemOperationTimeout?: Duration;
  /**
   * ConfigMap with volume policies and filters for resources, in the namespace of the Backup. `kind` is `configmap`; the ConfigMap has
   * exactly one key. Empty: no policies but those of the server.
   */
  resourcePolicy?: TypedLocalObjectReference;
  /**
   * Whether the data of CSI snapshots is uploaded to the storage location. `true`: yes, by one DataUpload per volume. `false`: the
   * snapshots stay where the storage keeps them. Empty: the flag --default-snapshot-move-data of the server, `false` if that is not set.
   */
  snapshotMoveData?: boolean | null;
  /**
   * Data mover that uploads snapshot data. Empty, `velero` or `velero-fs`: the built-in one. `velero-block`: the built-in one, for volumes
   * of mode Block only. Any other name: a data mover of another vendor, which has to be installed. No effect without snapshotMoveData.
   */
  datamover?: string;
  /**
   * How much of each volume is read. `Incremental`: what has changed since the snapshot before, where that can be determined. `Full`:
   * everything. Data that the repository already has is stored only once in both cases. Default: `Incremental`.
   */
  backupType?: BackupType;
  /** Settings for uploads of volume data. Empty: defaults. */
  uploaderConfig?: UploaderConfigForBackup | null;
  /**
   * Set it to `true` to cancel the backup: what it has created is removed. No effect after the backup has ended; refused in the template of
   * a Schedule. Default: `false`.
   */
  cancel?: boolean;
}

/** Metadata of the Backups that a Schedule creates. */
export interface BackupTemplateMetadata {
  /** Labels of the Backups. Empty: the labels of the Schedule. */
  labels?: Record<string, string>;
  /** Annotations of the Backups. Empty: the annotations of the Schedule. */
  annotations?: Record<string, string>;
}

/** Settings for uploads of volume data. */
export interface UploaderConfigForBackup {
  /** Number of files that are read in parallel, per volume. Empty or 0: one per CPU of the data mover's pod. */
  parallelFilesUpload?: Integer;
}
