import type {
  CoreEvent,
  Node,
  PersistentVolumeClaim,
  Pod,
  StorageClass,
  VolumeSnapshot,
  VolumeSnapshotContent,
} from '@lateen/api-types';
import type { PodVolumeSettings } from '../settings/exposure-settings.ts';
import type { Finding } from './finding.ts';

/** The objects of an exposure when it is diagnosed. Absent: the object does not exist, or may not be read. */
export interface ExposureSeen {
  /** `namespace/name` of the movement; the objects that are made for it have the same name. */
  owner: string;
  pod?: Pod | undefined;
  /** The node of the pod, or the node for which its volume is made. */
  node?: NodeSeen | undefined;
  /** The backup or restore claim. */
  claim?: PersistentVolumeClaim | undefined;
  /** Class of the claim. */
  storageClass?: StorageClass | undefined;
  /** The VolumeSnapshot that the exposure waits for: ours, or the workload's as long as ours does not exist. */
  snapshot?: VolumeSnapshot | undefined;
  /** Content of that snapshot. */
  content?: VolumeSnapshotContent | undefined;
  /** The claim that is the target of the restore, as long as nothing is made for it. */
  target?: PersistentVolumeClaim | undefined;
  /** `namespace/name` of the target claim when there is none. */
  missingTarget?: string | undefined;
  /** Class of the target claim. */
  targetClass?: StorageClass | undefined;
  /** Why the client pod no longer has the volume. */
  lostVolume?: Finding | undefined;
  /** The settings that name the directory of the kubelets. */
  podVolume?: PodVolumeSettings | undefined;
  /** The newest call that was refused and is being retried. */
  refused?: Finding | undefined;
  /** Events about objects of these names. */
  events: readonly CoreEvent[];
}

/** A node by its name, and the object if there is one. */
export interface NodeSeen {
  name: string;
  node?: Node | undefined;
}

/** Checks for one kind of cause; undefined when that is not the cause. */
export type Check = (seen: ExposureSeen) => Finding | undefined;
