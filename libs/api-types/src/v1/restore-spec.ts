import type { LabelSelector } from '../meta/label-selector.ts';
import type { Duration, Integer } from '../meta/scalars.ts';
import type { TypedLocalObjectReference } from '../meta/typed-local-object-reference.ts';
import type { RestoreHooks } from './restore-hooks.ts';

/** Which objects and volumes of which backup are restored, and how. */
export interface RestoreSpec {
  /** Name of the Backup to restore. Set either this or scheduleName. */
  backupName?: string;
  /**
   * Name of a Schedule: its newest completed Backup is restored. Set either this or backupName. When the restore starts, both fields may be
   * filled in.
   */
  scheduleName?: string;
  /** Namespaces to restore, as named in the backup: names or patterns such as `shop-*`. Empty or `*`: all namespaces of the backup. */
  includedNamespaces?: string[] | null;
  /** Namespaces that are not restored, as named in the backup: names or patterns. `*` alone is refused. Empty: none is excluded. */
  excludedNamespaces?: string[] | null;
  /** Resources to restore, named as in kubectl: `deployments`, `deploy`, `deployments.apps`. Empty or `*`: all resources of the backup. */
  includedResources?: string[] | null;
  /** Resources that are not restored. The server adds those that are never restored, such as nodes and events. */
  excludedResources?: string[] | null;
  /**
   * New names for namespaces. Key: namespace in the backup; value: namespace that its objects are restored into. Empty: names stay as they
   * are.
   */
  namespaceMapping?: Record<string, string>;
  /**
   * Label selector: only objects with matching labels are restored, and the objects that these need. Empty: all objects. Cannot be combined
   * with orLabelSelectors.
   */
  labelSelector?: LabelSelector | null;
  /**
   * List of label selectors: an object is restored if at least one of them matches its labels. Empty: all objects. Cannot be combined with
   * labelSelector.
   */
  orLabelSelectors?: LabelSelector[] | null;
  /** Whether volume data is restored from snapshots. `true` or empty: yes. `false`: no; claims get new, empty volumes. */
  restorePVs?: boolean | null;
  /** Resources whose `status` is restored too. Empty: of none. */
  restoreStatus?: RestoreStatusSpec | null;
  /**
   * Whether Services keep their node ports. `true`: all ports. `false` or empty: only ports that were set explicitly; Kubernetes assigns
   * the others again.
   */
  preserveNodePorts?: boolean | null;
  /**
   * Whether cluster-scoped objects are restored. `true`: yes. `false`: no, not even if other objects need them. Empty: all of them in a
   * restore of all namespaces, otherwise those that other restored objects need.
   */
  includeClusterResources?: boolean | null;
  /** Commands and init containers for restored pods. Empty: only hooks in annotations of pods run. */
  hooks?: RestoreHooks;
  /**
   * What happens to an object that exists already and differs from the backup. `none` or empty: it is not changed, and a warning is
   * reported. `update`: it is changed to match the backup.
   */
  existingResourcePolicy?: string | null;
  /**
   * How long an operation in the background may take, as a duration such as `4h`: the restore of a volume, or an operation of a plugin.
   * After that, it is cancelled and counts as failed. Empty or 0: the flag --default-item-operation-timeout of the server, 4h if that is
   * not set.
   */
  itemOperationTimeout?: Duration;
  /**
   * ConfigMap with rules that change objects before they are created, in the namespace of the Restore. `kind` is `configmap`; the ConfigMap
   * has exactly one key. Empty: the default rules of the server, if there are any.
   */
  resourceModifier?: TypedLocalObjectReference | null;
  /**
   * ConfigMap with filters by namespace and for cluster-scoped resources, in the namespace of the Restore. `kind` is `configmap`; the
   * ConfigMap has exactly one key. Volume policies in it are refused. Empty: no policies.
   */
  resourcePolicy?: TypedLocalObjectReference | null;
  /** Settings for writing volume data. Empty: defaults. */
  uploaderConfig?: UploaderConfigForRestore | null;
  /**
   * What happens to the data of claims that exist already. `none` or empty: it stays. `full`: all data of the backup is written into the
   * volume. `incremental`: only what differs is written.
   */
  existingVolumeDataPolicy?: string | null;
  /**
   * `true`: the server's default rules for changing objects (flag --default-resource-modifier-configmap) are not applied to this restore.
   * Default: `false`.
   */
  skipDefaultResourceModifier?: boolean | null;
  /**
   * Name of a ConfigMap that says between which restored objects owner references are set again, in the namespace of the Restore. Empty:
   * the one of the server's flag --owner-ref-configmap; without that, none are set.
   */
  ownerRefConfigMap?: string;
  /**
   * `true`: nothing is restored. Lateen only stores a plan: what would happen to each object and volume. `lateen restore plan` shows it.
   * Default: `false`.
   */
  dryRun?: boolean;
  /**
   * Set it to `true` to cancel the restore. Restored objects stay; new volumes that are not complete are deleted. No effect after the
   * restore has ended. Default: `false`.
   */
  cancel?: boolean;
}

/** Selects the resources whose `status` is restored. */
export interface RestoreStatusSpec {
  /** Resources whose `status` is restored, named as in kubectl. Empty: all. */
  includedResources?: string[] | null;
  /** Resources whose `status` is not restored. Empty: none is excluded. */
  excludedResources?: string[] | null;
}

/** Settings for writing volume data. */
export interface UploaderConfigForRestore {
  /** Whether long runs of zeros become holes in files, which take no space. `true`: yes. Default: `false`. */
  writeSparseFiles?: boolean | null;
  /** Number of files that are written in parallel, per volume. Empty or 0: one per CPU of the data mover's pod. */
  parallelFilesDownload?: Integer;
  /** Whether files that the backup does not have are deleted from volumes that existed before. `true`: yes. Default: `false`. */
  deleteExtraFiles?: boolean | null;
  /** Who reads the kopia repository. `true` or empty: Lateen's own reader, which is faster. `false`: kopia. */
  directRestore?: boolean | null;
}
