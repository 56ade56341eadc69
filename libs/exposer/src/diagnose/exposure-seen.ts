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

/** What there is of an exposure when one asks why it is not ready. Absent: does not exist, or may not be read. */
export interface ExposureSeen {
  /** `namespace/name` of the movement; what is made for it has the same name. */
  owner: string;
  pod?: Pod | undefined;
  /** The node that the pod is on, or that its volume is made for. */
  node?: NodeSeen | undefined;
  /** The backup or restore claim. */
  claim?: PersistentVolumeClaim | undefined;
  /** Class of the claim. */
  storageClass?: StorageClass | undefined;
  /** The VolumeSnapshot that is waited for: ours, or the workload's as long as ours does not exist. */
  snapshot?: VolumeSnapshot | undefined;
  /** Content of that snapshot. */
  content?: VolumeSnapshotContent | undefined;
  /** The claim that is restored into, as long as nothing is made for it. */
  target?: PersistentVolumeClaim | undefined;
  /** `namespace/name` of the target claim when there is none. */
  missingTarget?: string | undefined;
  /** Class of the target claim. */
  targetClass?: StorageClass | undefined;
  /** Why the pod whose volume it is has it no more. */
  lostVolume?: Finding | undefined;
  /** Where the directories of kubelets were looked for. */
  podVolume?: PodVolumeSettings | undefined;
  /** The newest call that was refused and is tried again. */
  refused?: Finding | undefined;
  /** Events about objects of these names. */
  events: readonly CoreEvent[];
}

/** A node by its name, and the object if there is one. */
export interface NodeSeen {
  name: string;
  node?: Node | undefined;
}

/** Looks for one kind of cause; undefined when it is not this. */
export type Check = (seen: ExposureSeen) => Finding | undefined;
