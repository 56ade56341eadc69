import type { Int64, Integer } from '@lateen/api-types';
import type { Condition } from '../meta/condition.ts';
import type { TimeText } from '../meta/scalars.ts';
import type { CloneState, Robustness, VolumeState } from './volume-state.ts';

/** State of the volume. */
export interface VolumeStatus {
  /** Name of the node whose volume manager processes this object. */
  ownerID?: string;
  /**
   * `creating`: replicas are being placed. `detached`: not in use. `attaching`, `attached`: it is becoming, or is, a device on a node.
   * `detaching`: its processes are being stopped. `deleting`: it is being deleted with its data.
   */
  state?: VolumeState;
  /**
   * `healthy`: all replicas are in use. `degraded`: attached, with fewer replicas in use than it should have. `faulted`: no replica can be
   * used. `unknown`: detached, or not known.
   */
  robustness?: Robustness;
  /** Name of the node that the volume is attached to. Empty: it is not attached. */
  currentNodeID?: string;
  /** Name of the node that the engine runs on, if it is not the node of the device. Empty in Lateen. */
  currentEngineNodeID?: string;
  /** Name of the node that a live migration moves the volume to. Empty in Lateen, which does not support live migration. */
  currentMigrationNodeID?: string;
  /** Progress of a change from one v2 engine to another. Empty in Lateen. */
  switchoverState?: string;
  /** Container image of the engine and the replicas that run now. */
  currentImage?: string;
  /** PersistentVolume, PersistentVolumeClaim and pods of the volume. */
  kubernetesStatus?: KubernetesStatus;
  /**
   * Conditions of the volume. `Scheduled`: all replicas have a place. `Restore`: a restore or clone runs, or why it failed.
   * `TooManySnapshots`: it has more snapshots than the setting snapshot-count-warning-threshold (100). `OfflineRebuilding`: it is rebuilt
   * while detached.
   */
  conditions?: Condition[] | null;
  /** Name of the newest backup of the volume. Empty: none. */
  lastBackup?: string;
  /** When the snapshot of the newest backup was taken. Empty: no backup. */
  lastBackupAt?: TimeText;
  /** Since when the volume has been degraded. Empty: it is not. */
  lastDegradedAt?: TimeText;
  /** When the volume last recovered by itself after all its replicas had failed. Empty: never. */
  lastAutoSalvagedAt?: TimeText;
  /** When checksums of all snapshots were last complete after a request in snapshotHashingRequestedAt. Empty: never. */
  lastOnDemandSnapshotHashingCompleteAt?: TimeText;
  /**
   * When pods with the volume last had to mount it again, because its device had ended. The volume manager deletes such pods if a
   * controller creates them again. Empty: never.
   */
  remountRequestedAt?: TimeText;
  /** `true`: a backup has to be restored into the volume before it can be used. */
  restoreRequired?: boolean;
  /** `true`: the restore of the backup has started. */
  restoreInitiated?: boolean;
  /** Progress of the copy from dataSource. */
  cloneStatus?: VolumeCloneStatus;
  /** `true`: the volume is smaller than `spec.size`, and has to be expanded. */
  expansionRequired?: boolean;
  /** `true`: the volume follows backups, and cannot be attached before it is activated. */
  isStandby?: boolean;
  /** `true`: the volume is attached without a device. */
  frontendDisabled?: boolean;
  /** Space in bytes that the volume takes on one replica, with all its snapshots. It can be larger than `spec.size`. */
  actualSize?: Int64;
  /** Address of the NFS share of an rwx volume. Empty in Lateen, which does not support rwx. */
  shareEndpoint?: string;
  /** State of the NFS share of an rwx volume. Empty in Lateen, which does not support rwx. */
  shareState?: string;
}

/** Kubernetes objects that use the volume. */
export interface KubernetesStatus {
  /** Name of the PersistentVolume. Empty: none. */
  pvName?: string;
  /** Phase of the PersistentVolume, such as `Bound`. */
  pvStatus?: string;
  /** Namespace of the PersistentVolumeClaim. */
  namespace?: string;
  /** Name of the PersistentVolumeClaim. Empty: none. */
  pvcName?: string;
  /** When a PersistentVolumeClaim last used the volume. Empty: one uses it now, or none ever did. */
  lastPVCRefAt?: TimeText;
  /** Pods that use the volume, or used it last. */
  workloadsStatus?: WorkloadStatus[] | null;
  /** When a pod last used the volume. Empty: one uses it now, or none ever did. */
  lastPodRefAt?: TimeText;
}

/** A pod that uses the volume. */
export interface WorkloadStatus {
  /** Name of the pod, in the namespace of the PersistentVolumeClaim. */
  podName?: string;
  /** Phase of the pod, such as `Running`. */
  podStatus?: string;
  /** Name of the object that created the pod, such as a StatefulSet. Empty: none. */
  workloadName?: string;
  /** Kind of that object, such as `StatefulSet`. */
  workloadType?: string;
}

/** Progress of the copy of a volume from another one. */
export interface VolumeCloneStatus {
  /** Name of the volume that is copied. */
  sourceVolume?: string;
  /** Name of the snapshot of that volume that is copied. */
  snapshot?: string;
  /**
   * `initiated`: it waits for its source, or is being copied. `completed`: the volume has all data. `failed`: it is not tried again, the
   * condition Restore says why. Empty: the volume is not a clone.
   */
  state?: CloneState;
  /** Number of attempts so far. */
  attemptCount?: Integer;
  /** When the next attempt may start, after a failure. Empty: at once. */
  nextAllowedAttemptAt?: TimeText;
}
