import type { Backup, PodVolumeBackup } from '@lateen/api-types';
import type { BackupOperation, BackupVolumeInfo, NativeSnapshot } from '@lateen/backup-store';
import type { ActionContext } from '@lateen/item-actions';
import type { BackupFilters, ResourcePolicies } from '@lateen/item-filters';
import type { CallOptions, DiscoveredType, Discovery, PodExec } from '@lateen/kube';
import type { OpenPod } from '../open-hooks/open-pod.ts';
import type { PodTurns } from './blocks/pod-turns.ts';
import type { EngineLimits } from './engine-limits.ts';
import type { EngineActions } from './items/item-type.ts';
import type { PodVolumeOptions } from './pod-volumes/pod-volume-options.ts';
import type { NativeSnapshots } from './volumes/native-volumes.ts';

/** The progress of collecting and storing objects. */
export interface ItemProgress {
  /** Grows while lists are being read. */
  totalItems: number;
  itemsBackedUp: number;
}

/** The totals of a backup's objects. Warnings and errors are counted by the log of the backup. */
export interface ItemsOutcome extends ItemProgress {
  /** Operations that actions have started and that have to be followed to their end. */
  operations: BackupOperation[];
  volumes: BackupVolumeInfo[];
  /** The PodVolumeBackups that have ended, in the state in which they ended. */
  podVolumeBackups: PodVolumeBackup[];
  hooks: { attempted: number; failed: number };
  csiSnapshotsAttempted: number;
  /** The snapshots that providers were asked for, including those that failed. */
  nativeSnapshots: readonly NativeSnapshot[];
}

/** The Backup while the engine works on it: validated, with the defaults of its spec filled in by the server. */
export type RunningBackup = Backup & Required<Pick<Backup, 'status'>>;

/** What the engine passes to an action in addition to what it decides itself. */
export type EngineContext = Omit<ActionContext, 'volumes' | 'noteVolume' | 'backup'>;

/** The files that the engine writes itself; a BackupStore implements this. */
export interface EngineStore {
  /** Stores the tar.gz while it is produced. When `pieces` throws, nothing is stored. */
  writeArchive(backup: string, pieces: AsyncIterable<Uint8Array>, options?: CallOptions): Promise<void>;
  putResourceList(
    backup: string,
    entries: AsyncIterable<[gvk: string, names: Iterable<string>]>,
    options?: CallOptions,
  ): Promise<void>;
  /** Stores JSON documents, one per line; no document contains a line feed. */
  writeItemOutcomes(backup: string, lines: Iterable<string>, options?: CallOptions): Promise<void>;
}

/** Records pods whose post hooks have yet to run, so that the next process can run them when this one dies. */
export interface OpenHooks {
  /**
   * Call it before their hooks run. Waits while too many pods are open.
   * @throws when the record cannot be written: then none of their hooks may run; call {@link close} for them all the same. The signal's
   *   reason on abort
   */
  open(pods: readonly OpenPod[], signal: AbortSignal): Promise<void>;
  /** Call it when the post hooks of the pods have run, also after an abort. Never rejects. */
  close(pods: readonly OpenPod[]): Promise<void>;
}

export interface EnginePorts extends EngineContext {
  discovery: Discovery;
  exec: PodExec;
  store: EngineStore;
  actions: EngineActions;
  limits: EngineLimits;
  /** Shared by all runs of the process. */
  podTurns: PodTurns;
  openHooks: OpenHooks;
  /** Absent when no VolumeSnapshotLocation is chosen. */
  nativeSnapshots?: NativeSnapshots | undefined;
  /** Called at most once a second while items are backed up. */
  onProgress(progress: ItemProgress): void;
}

export interface EngineRequest {
  backup: RunningBackup;
  /** Compiled from the same spec, types and policies as the other inputs. */
  filters: BackupFilters;
  policies?: ResourcePolicies;
  /** All types that discovery has found, including versions that are not the preferred ones. */
  types: readonly DiscoveredType[];
  /** Feature EnableAPIGroupVersions: every version of a resource is stored. Default: the preferred one. */
  allVersions?: boolean;
  /** Default: `podVolumeOptionsDefault`. */
  podVolumes?: PodVolumeOptions;
}
