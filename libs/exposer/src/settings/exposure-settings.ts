import type { LabelSelector, ResourceRequirements } from '@lateen/api-types';
import type { CopiedNames } from './copied-names.ts';
import type { PodResourcesMax } from './pod-resources-max.ts';

/**
 * The installation's settings for its hosting pods and their volumes: the keys of the node-agent ConfigMap that concern exposure,
 * with their names there (api.md section 17.1). All values have been validated.
 */
export interface ExposureSettings {
  /** For all hosting pods; absent means best effort. */
  podResources?: ResourceRequirements | undefined;
  /** By the storage class of the workload's claim; takes precedence over `podResources`. Ours, not Velero's. */
  podResourcesPerStorageClass?: Readonly<Record<string, ResourceRequirements>>;
  /** Bounds what the annotation of a workload's claim may ask for. Ours, not Velero's. */
  podResourcesMax?: PodResourcesMax | undefined;
  /** Where hosting pods may run; see `loadAffinityFor`. */
  loadAffinity?: readonly LoadAffinity[];
  /** By the storage class of the volume that is backed up. */
  backupPVC?: Readonly<Record<string, BackupPVC>>;
  restorePVC?: RestorePVC;
  /** A priority class that exists. */
  priorityClassName?: string | undefined;
  /** Replaces the labels that are inherited from the node-agent's template. */
  podLabels?: Readonly<Record<string, string>>;
  /** Replaces the inherited annotations. */
  podAnnotations?: Readonly<Record<string, string>>;
  cachePVC?: CachePVC | undefined;
  /** Movers of pod volumes run privileged. */
  privilegedFsBackup?: boolean;
  csiSnapshotMetadataServiceConfigs?: CsiSnapshotMetadataServiceConfigs | undefined;
  podVolume?: PodVolumeSettings;
  /**
   * Data paths at the same time on a node, when the installation sets it: movers receive the number and divide the node's CPUs by
   * it.
   */
  slots?: number | undefined;
}

/**
 * `host-path`: through the directory that the kubelet has made for the pod. `claim`: a volume of a claim through a second
 * PersistentVolume object, so that the mover has no access to the node's directories; other volumes through `host-path`.
 * `claim-only`: other volumes are not moved.
 */
export const podVolumeAccesses = ['host-path', 'claim', 'claim-only'] as const;
export type PodVolumeAccess = (typeof podVolumeAccesses)[number];

/** How movers reach volumes of running pods. Ours, not Velero's. */
export interface PodVolumeSettings {
  access: PodVolumeAccess;
  /** The root directory of the kubelets (`--root-dir`). */
  kubeletDirectory: string;
  /** The directory that the mounts of a pod on this node show; its beginning may be missing. For advice only. */
  seenDirectory?: string | undefined;
}

/** Velero's behaviour, and the kubelet's own default directory. */
export const podVolumeDefaults: PodVolumeSettings = { access: 'host-path', kubeletDirectory: '/var/lib/kubelet' };

export interface LoadAffinity {
  nodeSelector: LabelSelector;
  /** Empty or absent: for every class without an entry of its own. */
  storageClass?: string;
}

/** How the claim for a copy of a snapshot differs from the source's claim. */
export interface BackupPVC extends CopiedNames {
  /** Replaces the source's class. */
  storageClass?: string;
  /** ReadOnlyMany instead of ReadWriteOnce; many drivers then need not copy the snapshot. */
  readOnly?: boolean;
  /** SELinux type `spc_t`, so that a volume with many files is not relabelled; only with `readOnly`. */
  spcNoRelabeling?: boolean;
  annotations?: Readonly<Record<string, string>>;
}

/** New in Velero 1.19 (after-1.18.1.md, 1B). */
export interface CsiSnapshotMetadataServiceConfigs {
  /** The service account whose token movers show to the service that tells changed blocks; default: their own. */
  saName: string;
}

export interface RestorePVC extends CopiedNames {
  /** Do not wait for the consumer of a WaitForFirstConsumer claim: restore anywhere. */
  ignoreDelayBinding?: boolean;
}

/** A volume for the engine's cache during a restore, instead of the node's disk. */
export interface CachePVC {
  /** A class that exists and whose reclaim policy is Delete. */
  storageClass: string;
  /** The class creates a volume only after a node has been chosen for it. */
  waitsForConsumer: boolean;
  /** A restore of less data than this gets no cache volume; 0 means that every restore gets one. */
  residentThresholdInMB: number;
  /** How large the engine's cache may grow (`cacheLimitMB` of the backup repository ConfigMap). */
  limitMB: number;
}
