import type { LabelSelector, ResourceRequirements } from '@lateen/api-types';
import type { CopiedNames } from './copied-names.ts';
import type { PodResourcesMax } from './pod-resources-max.ts';

/**
 * What an installation has chosen for its hosting pods and their volumes: the keys of the node-agent ConfigMap that
 * concern exposure, by the names they have there (api.md section 17.1). All of it is checked; nothing in here can be
 * wrong any more.
 */
export interface ExposureSettings {
  /** For all hosting pods; absent means best effort. */
  podResources?: ResourceRequirements | undefined;
  /** By the storage class of the workload's claim; before `podResources`. Ours, not Velero's. */
  podResourcesPerStorageClass?: Readonly<Record<string, ResourceRequirements>>;
  /** Bounds what the annotation of a workload's claim may ask for. Ours, not Velero's. */
  podResourcesMax?: PodResourcesMax | undefined;
  /** Where hosting pods may run; see `loadAffinityFor`. */
  loadAffinity?: readonly LoadAffinity[];
  /** By the storage class of the volume that is backed up. */
  backupPVC?: Readonly<Record<string, BackupPVC>>;
  restorePVC?: RestorePVC;
  /** A class that exists. */
  priorityClassName?: string | undefined;
  /** Instead of the labels that the node-agent's template would hand on, not beside them. */
  podLabels?: Readonly<Record<string, string>>;
  /** Likewise. */
  podAnnotations?: Readonly<Record<string, string>>;
  cachePVC?: CachePVC | undefined;
  /** Movers of pod volumes run privileged. */
  privilegedFsBackup?: boolean;
  podVolume?: PodVolumeSettings;
  /** Data paths at the same time on a node, when somebody has said so: movers are told, and share its CPUs by it. */
  slots?: number | undefined;
}

/**
 * `host-path`: by the directory that the kubelet has made for the pod. `claim`: a volume of a claim by a second PersistentVolume
 * object, so that the mover sees nothing of the node, and others as before. `claim-only`: others not at all.
 */
export const podVolumeAccesses = ['host-path', 'claim', 'claim-only'] as const;
export type PodVolumeAccess = (typeof podVolumeAccesses)[number];

/** How movers reach volumes of running pods. Ours, not Velero's. */
export interface PodVolumeSettings {
  access: PodVolumeAccess;
  /** The root directory of the kubelets (`--root-dir`). */
  kubeletDirectory: string;
  /** What the mounts of a pod on this node say of it; its beginning may be missing. For advice only. */
  seenDirectory?: string | undefined;
}

/** Velero's way, and the kubelet's own default. */
export const podVolumeDefaults: PodVolumeSettings = { access: 'host-path', kubeletDirectory: '/var/lib/kubelet' };

export interface LoadAffinity {
  nodeSelector: LabelSelector;
  /** Empty or absent: for every class that has no entry of its own. */
  storageClass?: string;
}

/** How the claim for a copy of a snapshot differs from the source's. */
export interface BackupPVC extends CopiedNames {
  /** Instead of the source's. */
  storageClass?: string;
  /** ReadOnlyMany instead of ReadWriteOnce; many drivers then need not copy the snapshot. */
  readOnly?: boolean;
  /** SELinux type `spc_t`, so that a volume with many files is not relabelled; only with `readOnly`. */
  spcNoRelabeling?: boolean;
  annotations?: Readonly<Record<string, string>>;
}

export interface RestorePVC extends CopiedNames {
  /** Do not wait for the consumer of a WaitForFirstConsumer claim: restore anywhere. */
  ignoreDelayBinding?: boolean;
}

/** A volume for the engine's cache of a restore, instead of the node's disk. */
export interface CachePVC {
  /** A class that exists and deletes its volumes. */
  storageClass: string;
  /** The class makes a volume only when a node has been chosen for it. */
  waitsForConsumer: boolean;
  /** A restore of less data than this gets none; 0 means that every restore gets one. */
  residentThresholdInMB: number;
  /** How large the engine's cache may grow (`cacheLimitMB` of the backup repository ConfigMap). */
  limitMB: number;
}
