import { type CoreEvent, eventType, type Pod, podType } from '@lateen/api-types';
import type { KubeObject, ResourceType } from '@lateen/kube';
import {
  type Backup,
  type BackupTarget,
  type BackupVolume,
  backupTargetType,
  backupType,
  backupVolumeType,
  type Engine,
  type EngineImage,
  engineImageType,
  engineType,
  type InstanceManager,
  instanceManagerType,
  type LonghornNode,
  longhornNodeType,
  type Orphan,
  orphanType,
  type RecurringJob,
  type Replica,
  recurringJobType,
  replicaType,
  type Setting,
  type Snapshot,
  settingType,
  snapshotType,
  type Volume,
  type VolumeAttachmentObject,
  volumeAttachmentObjectType,
  volumeType,
} from '@lateen/storage-types';

/** The objects that the API's answers are made from, under their names in this program. */
export interface StorageKinds {
  readonly volumes: Volume;
  readonly engines: Engine;
  readonly replicas: Replica;
  readonly snapshots: Snapshot;
  readonly attachments: VolumeAttachmentObject;
  readonly nodes: LonghornNode;
  readonly settings: Setting;
  readonly engineImages: EngineImage;
  readonly instanceManagers: InstanceManager;
  readonly recurringJobs: RecurringJob;
  readonly backupTargets: BackupTarget;
  readonly backupVolumes: BackupVolume;
  readonly backups: Backup;
  readonly orphans: Orphan;
  /** Pods of the managers: their addresses are the addresses of nodes. */
  readonly pods: Pod;
  readonly events: CoreEvent;
}
export type StorageKind = keyof StorageKinds;
/** Kinds whose objects belong to a volume. */
export type KindOfVolume = 'engines' | 'replicas' | 'snapshots' | 'backups';

export const storageKindTypes: { readonly [K in StorageKind]: ResourceType<StorageKinds[K] & KubeObject> } = {
  volumes: volumeType,
  engines: engineType,
  replicas: replicaType,
  snapshots: snapshotType,
  attachments: volumeAttachmentObjectType,
  nodes: longhornNodeType,
  settings: settingType,
  engineImages: engineImageType,
  instanceManagers: instanceManagerType,
  recurringJobs: recurringJobType,
  backupTargets: backupTargetType,
  backupVolumes: backupVolumeType,
  backups: backupType,
  orphans: orphanType,
  pods: podType,
  events: eventType,
};

/**
 * The cached objects of the storage namespace, without a call and without a wait. The returned objects are shared: never change them. A program that
 * already has informers of these kinds can implement this over them.
 */
export interface StorageReader {
  get<K extends StorageKind>(kind: K, name: string): StorageKinds[K] | undefined;
  list<K extends StorageKind>(kind: K): readonly StorageKinds[K][];
  ofVolume<K extends KindOfVolume>(kind: K, volume: string): readonly StorageKinds[K][];
  /** Calls `changed` after each change of an object of this kind; the returned function unsubscribes. */
  onChange(kind: StorageKind, changed: () => void): () => void;
  /** The kinds whose first list has not arrived yet; empty when all answers are complete. */
  missing(): readonly StorageKind[];
}
