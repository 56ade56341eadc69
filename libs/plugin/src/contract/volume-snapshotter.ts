import type { Unstructured } from '@lateen/api-types';
import type { ActionContext } from './action-context.ts';
import type { MaybePromise } from './maybe-promise.ts';

/** `spec.config` of a location. */
export type LocationConfig = Readonly<Record<string, string>>;

export interface VolumeInfo {
  /** In the words of the storage: `gp3`. */
  volumeType: string;
  /** Absent when the storage has no such thing. */
  iops?: number;
}

/** Snapshots of the storage itself. Zones are empty where a volume has none. */
export interface VolumeSnapshotter {
  /** The ID of the volume behind a PersistentVolume; "" when it is none of this storage, it is left alone then. */
  getVolumeId(input: { persistentVolume: Unstructured }, context: ActionContext): MaybePromise<string>;
  /** The PersistentVolume, pointing to another volume. What is given is yours to change. */
  setVolumeId(
    input: { persistentVolume: Unstructured; volumeId: string },
    context: ActionContext,
  ): MaybePromise<Unstructured>;
  getVolumeInfo(input: { volumeId: string; volumeZone: string }, context: ActionContext): MaybePromise<VolumeInfo>;
  /** @returns the ID of the snapshot */
  createSnapshot(
    input: { volumeId: string; volumeZone: string; tags: Readonly<Record<string, string>> },
    context: ActionContext,
  ): MaybePromise<string>;
  /** A snapshot that is gone is no error. */
  deleteSnapshot(input: { snapshotId: string }, context: ActionContext): MaybePromise<void>;
  /** @returns the ID of the volume */
  createVolumeFromSnapshot(
    input: { snapshotId: string; volumeZone: string } & VolumeInfo,
    context: ActionContext,
  ): MaybePromise<string>;
}

/** Makes a snapshotter for a location; throwing says that the location cannot be used. Called again for each location and each backup. */
export type MakeVolumeSnapshotter = (config: LocationConfig, context: ActionContext) => MaybePromise<VolumeSnapshotter>;
