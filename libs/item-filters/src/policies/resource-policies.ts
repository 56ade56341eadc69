import type { LabelSelector } from '@lateen/api-types';
import type { Quantity } from '@lateen/kube';

/** The contents of the ConfigMap of `spec.resourcePolicy` (api.md section 17.4, after-1.18.1.md 1A and 1B). */
export interface ResourcePolicies {
  volumePolicies: VolumePolicy[];
  includeExcludePolicy?: IncludeExcludePolicy;
  namespacedFilterPolicies: NamespacedFilterPolicy[];
  clusterScopedFilterPolicy?: ClusterScopedFilterPolicy;
  /** Only Lateen has this rule; it is for restores. */
  restoreOrder?: KindRequirement[];
  /** Settings that are allowed but have no effect: a volume type or a phase that no volume has. For the log. */
  warnings: string[];
}

/** Objects of a kind are restored after all objects of the kinds in `requires`, in their namespace and cluster-scoped. Names as users write them. */
export interface KindRequirement {
  /** `Deployment.apps` or `deployments.apps`. */
  groupKind: string;
  requires: string[];
}

/** Lists that several backups share; the backup's own lists take precedence. `*` is not allowed. */
export interface IncludeExcludePolicy {
  includedClusterScopedResources: string[];
  excludedClusterScopedResources: string[];
  includedNamespaceScopedResources: string[];
  excludedNamespaceScopedResources: string[];
  namespacesByLabel: NamespacesByLabel;
}

/** Namespaces by selectors in the form of `kubectl -l`. */
export interface NamespacesByLabel {
  included: string[];
  excluded: string[];
  /** Whether all selectors of a list must match, or one of them. */
  logic: 'OR' | 'AND';
}

/** An allow-list for the namespaces that it matches: kinds that no filter lists are left out, unless there is a catch-all filter. */
export interface NamespacedFilterPolicy {
  /** Names and globs. */
  namespaces: string[];
  resourceFilters: FineResourceFilter[];
}

/** Narrows the kinds that it lists; other kinds follow the filters of the backup. */
export interface ClusterScopedFilterPolicy {
  resourceFilters: FineResourceFilter[];
}

export interface FineResourceFilter {
  /** Kinds or resources; an empty list or only `*` is the catch-all. */
  kinds: string[];
  /** At least one must match; an empty list: labels do not matter. `labelSelector` is read as a list of one. */
  labelSelectors: LabelSelector[];
  /** Globs; an empty list: all names. */
  names: string[];
  /** Globs; they take precedence over `names`. */
  excludedNames: string[];
}

export interface VolumePolicy {
  conditions: VolumeConditions;
  action: VolumePolicyAction;
}

export const volumeActionTypes = ['skip', 'fs-backup', 'snapshot', 'custom'] as const;

export interface VolumePolicyAction {
  type: (typeof volumeActionTypes)[number];
  /** For the action `snapshot`: which data mover and which VolumeSnapshotClass (after-1.18.1.md 1B). */
  dataMover?: string;
  snapshotClass?: string;
  /** Passed unchanged to the plugin that a `custom` action is meant for. Every scalar is a string. */
  parameters?: Record<string, unknown>;
}

/** All conditions that are set must hold. */
export interface VolumeConditions {
  /** Absent: no limit on that side. */
  capacity?: { min?: Quantity; max?: Quantity };
  storageClass?: string[];
  /** Without server and path: every NFS volume. */
  nfs?: { server?: string; path?: string };
  /** Without a driver: every CSI volume. */
  csi?: { driver?: string; volumeAttributes?: Record<string, string> };
  volumeTypes?: string[];
  /** Names of the PersistentVolume, of the volume in the pod, or of the claim. */
  volumeName?: string[];
  pvcLabels?: Record<string, string>;
  pvcPhase?: string[];
  pvcVolumeMode?: string;
  /** The claim must have all of them. */
  pvcAccessModes?: string[];
}
