import type { LabelSelector } from '../meta/label-selector.ts';
import type { Duration, Integer } from '../meta/scalars.ts';
import type { TypedLocalObjectReference } from '../meta/typed-local-object-reference.ts';
import type { RestoreHooks } from './restore-hooks.ts';

/** What to bring back, from which backup and how. */
export interface RestoreSpec {
  /** Name of the Backup. Exactly one of this and scheduleName is given. */
  backupName?: string;
  /** Name of a Schedule; its newest completed Backup is taken. */
  scheduleName?: string;
  /** Namespaces to restore, globs allowed; all when empty. */
  includedNamespaces?: string[] | null;
  /** Namespaces to leave out; "*" is refused. */
  excludedNamespaces?: string[] | null;
  /** Resources to restore; all when empty. */
  includedResources?: string[] | null;
  /** Resources to leave out. */
  excludedResources?: string[] | null;
  /** For a namespace of the backup, the namespace to restore it into. */
  namespaceMapping?: Record<string, string>;
  /** Labels an object must carry to be restored. Not to be mixed with orLabelSelectors. */
  labelSelector?: LabelSelector | null;
  /** Selectors of which at least one must match. Not to be mixed with labelSelector. */
  orLabelSelectors?: LabelSelector[] | null;
  /** Whether volumes are restored from their snapshots. */
  restorePVs?: boolean | null;
  /** Resources whose status is restored too; none when null. */
  restoreStatus?: RestoreStatusSpec | null;
  /** Whether Services keep their node ports. */
  preserveNodePorts?: boolean | null;
  /** Whether cluster-scoped objects are included; null takes those that included objects need. */
  includeClusterResources?: boolean | null;
  /** What to run in pods that are restored. */
  hooks?: RestoreHooks;
  /** What to do with objects that exist already: "none" leaves them, "update" changes them. */
  existingResourcePolicy?: string | null;
  /** Longest wait for the operations of plugins and data movers. */
  itemOperationTimeout?: Duration;
  /** ConfigMap with changes to make to objects before they are created. */
  resourceModifier?: TypedLocalObjectReference | null;
  /** ConfigMap with filters per namespace and for cluster-scoped resources; policies for volumes are refused in it. */
  resourcePolicy?: TypedLocalObjectReference | null;
  /** Settings for writing volumes. */
  uploaderConfig?: UploaderConfigForRestore | null;
  /** What to do with the data of claims that exist already: "none" leaves it, "full" and "incremental" replace it. */
  existingVolumeDataPolicy?: string | null;
  /** Whether the server's default resource modifier is left out. */
  skipDefaultResourceModifier?: boolean | null;
  /** Name of the ConfigMap that says which owner references are put back between restored objects; none when empty. */
  ownerRefConfigMap?: string;
  /** Whether nothing is written and only the plan is stored: what would become of each object and volume. */
  dryRun?: boolean;
  /** Whether the restore is to end where it is. What it has restored stays. Of no effect once it has ended. */
  cancel?: boolean;
}

/** Chooses resources by name. */
export interface RestoreStatusSpec {
  /** Resources whose status is restored; all when empty. */
  includedResources?: string[] | null;
  /** Resources whose status is not restored. */
  excludedResources?: string[] | null;
}

/** How volumes are written. */
export interface UploaderConfigForRestore {
  /** Whether runs of zeros become holes. */
  writeSparseFiles?: boolean | null;
  /** Files written at the same time. */
  parallelFilesDownload?: Integer;
  /** Whether files that the backup does not have are deleted from volumes that existed. */
  deleteExtraFiles?: boolean | null;
  /** False has the engine restore the volumes instead of our own reader of its repositories, which is faster. */
  directRestore?: boolean | null;
}
