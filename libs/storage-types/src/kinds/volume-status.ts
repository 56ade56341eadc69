import type { Int64, Integer } from '@lateen/api-types';
import type { Condition } from '../meta/condition.ts';
import type { TimeText } from '../meta/scalars.ts';
import type { CloneState, Robustness, VolumeState } from './volume-state.ts';

/** What a volume is. */
export interface VolumeStatus {
  /** Node whose manager looks after the volume. */
  ownerID?: string;
  /** Whether and how far the volume is attached. */
  state?: VolumeState;
  /** How safe the data is. */
  robustness?: Robustness;
  /** Node the volume is attached to. */
  currentNodeID?: string;
  /** Node the engine runs on, where that is another one than the front end's. */
  currentEngineNodeID?: string;
  /** Node a live migration is moving the volume to. */
  currentMigrationNodeID?: string;
  /** How far a change between two engines has come. */
  switchoverState?: string;
  /** Image whose engine serves the volume. */
  currentImage?: string;
  /** Objects of Kubernetes that use the volume. */
  kubernetesStatus?: KubernetesStatus;
  /** What holds for the volume. */
  conditions?: Condition[] | null;
  /** Name of the newest backup. */
  lastBackup?: string;
  /** Time of the newest backup's snapshot. */
  lastBackupAt?: TimeText;
  /** Since when the volume has been degraded. */
  lastDegradedAt?: TimeText;
  /** When replicas of the faulted volume were last taken back by themselves. */
  lastAutoSalvagedAt?: TimeText;
  /** When the checksums of all snapshots were last ready after a request. */
  lastOnDemandSnapshotHashingCompleteAt?: TimeText;
  /** When the pods of the volume were last asked to mount it again. */
  remountRequestedAt?: TimeText;
  /** Whether the first content has yet to come from a backup. */
  restoreRequired?: boolean;
  /** Whether the restore of the first content has begun. */
  restoreInitiated?: boolean;
  /** How far the clone of the first content has come. */
  cloneStatus?: VolumeCloneStatus;
  /** Whether the volume is smaller than its spec says. */
  expansionRequired?: boolean;
  /** Whether the volume follows backups of another cluster. */
  isStandby?: boolean;
  /** Whether the volume is attached without a device. */
  frontendDisabled?: boolean;
  /** Bytes that head and snapshots of a replica take. */
  actualSize?: Int64;
  /** Address of the share of an rwx volume. */
  shareEndpoint?: string;
  /** State of the share of an rwx volume. */
  shareState?: string;
}

/** Objects of Kubernetes that use a volume. */
export interface KubernetesStatus {
  /** Name of the PersistentVolume. */
  pvName?: string;
  /** Phase of the PersistentVolume. */
  pvStatus?: string;
  /** Namespace of the PersistentVolumeClaim. */
  namespace?: string;
  /** Name of the PersistentVolumeClaim. */
  pvcName?: string;
  /** When a PersistentVolumeClaim last used the volume; empty while one does. */
  lastPVCRefAt?: TimeText;
  /** Pods that use the volume. */
  workloadsStatus?: WorkloadStatus[] | null;
  /** When a pod last used the volume; empty while one does. */
  lastPodRefAt?: TimeText;
}

/** A pod that uses a volume. */
export interface WorkloadStatus {
  /** Name of the pod. */
  podName?: string;
  /** Phase of the pod. */
  podStatus?: string;
  /** Name of the workload that the pod belongs to. */
  workloadName?: string;
  /** Kind of that workload. */
  workloadType?: string;
}

/** How far the clone of a volume has come. */
export interface VolumeCloneStatus {
  /** Volume that the content comes from. */
  sourceVolume?: string;
  /** Snapshot of it that is copied. */
  snapshot?: string;
  /** How far the copy has come. */
  state?: CloneState;
  /** Number of tries so far. */
  attemptCount?: Integer;
  /** When the next try may begin. */
  nextAllowedAttemptAt?: TimeText;
}
