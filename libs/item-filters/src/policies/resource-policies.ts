import type { LabelSelector } from '@lateen/api-types';
import type { Quantity } from '@lateen/kube';

/** What the ConfigMap of `spec.resourcePolicy` says (api.md section 17.4, after-1.18.1.md 1A and 1B). */
export interface ResourcePolicies {
  volumePolicies: VolumePolicy[];
  includeExcludePolicy?: IncludeExcludePolicy;
  namespacedFilterPolicies: NamespacedFilterPolicy[];
  clusterScopedFilterPolicy?: ClusterScopedFilterPolicy;
  /** Ours; of a restore. */
  restoreOrder?: KindRequirement[];
  /** What is allowed and yet can have no effect: a volume type or a phase that no volume has. For the log. */
  warnings: string[];
}

/** Objects of a kind are restored after all objects of others, of their namespace and cluster-scoped. Names as people write them. */
export interface KindRequirement {
  /** `Deployment.apps` or `deployments.apps`. */
  groupKind: string;
  requires: string[];
}

/** Lists that several backups share; the lists of the backup itself win over them. No `*`. */
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

/** An allow-list for the namespaces it matches: kinds that no filter lists are left out, unless there is a catch-all. */
export interface NamespacedFilterPolicy {
  /** Names and globs. */
  namespaces: string[];
  resourceFilters: FineResourceFilter[];
}

/** Narrows the kinds it lists; the others follow the filters of the backup. */
export interface ClusterScopedFilterPolicy {
  resourceFilters: FineResourceFilter[];
}

export interface FineResourceFilter {
  /** Kinds or resources; none or only `*` is the catch-all. */
  kinds: string[];
  /** One of them must match; none: labels do not matter. `labelSelector` is read as a list of one. */
  labelSelectors: LabelSelector[];
  /** Globs; none: all names. */
  names: string[];
  /** Globs; they win over `names`. */
  excludedNames: string[];
}

export interface VolumePolicy {
  conditions: VolumeConditions;
  action: VolumePolicyAction;
}

export const volumeActionTypes = ['skip', 'fs-backup', 'snapshot', 'custom'] as const;

export interface VolumePolicyAction {
  type: (typeof volumeActionTypes)[number];
  /** Of `snapshot`: which data mover and which VolumeSnapshotClass (after-1.18.1.md 1B). */
  dataMover?: string;
  snapshotClass?: string;
  /** As they stand, for the plugin that a `custom` action is meant for. Every scalar is a text. */
  parameters?: Record<string, unknown>;
}

/** All that are there must hold. */
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
