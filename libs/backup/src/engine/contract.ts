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

/** How far the collecting and storing of objects is. */
export interface ItemProgress {
  /** Grows while lists are still read. */
  totalItems: number;
  itemsBackedUp: number;
}

/** What came of all objects of a backup. Warnings and errors are counted by the backup's log. */
export interface ItemsOutcome extends ItemProgress {
  /** Started by actions, still to be followed. */
  operations: BackupOperation[];
  volumes: BackupVolumeInfo[];
  /** Those that have ended, as they were then. */
  podVolumeBackups: PodVolumeBackup[];
  hooks: { attempted: number; failed: number };
  csiSnapshotsAttempted: number;
  /** Those that providers were asked for, also where none came of it. */
  nativeSnapshots: readonly NativeSnapshot[];
}

/** The backup as it is worked on: validated, with the spec that the server has completed. */
export type RunningBackup = Backup & Required<Pick<Backup, 'status'>>;

/** What the engine gives an action beside what it decides itself. */
export type EngineContext = Omit<ActionContext, 'volumes' | 'noteVolume' | 'backup'>;

/** The files that the engine writes itself; a BackupStore has them. */
export interface EngineStore {
  /** Takes the tar.gz as it is made. When `pieces` throws, nothing is stored. */
  writeArchive(backup: string, pieces: AsyncIterable<Uint8Array>, options?: CallOptions): Promise<void>;
  putResourceList(
    backup: string,
    entries: AsyncIterable<[gvk: string, names: Iterable<string>]>,
    options?: CallOptions,
  ): Promise<void>;
  /** Documents of JSON, one line each, without line feeds. */
  writeItemOutcomes(backup: string, lines: Iterable<string>, options?: CallOptions): Promise<void>;
}

/** Where the pods are written down whose hooks after the backup are due, for whoever comes when this process dies. */
export interface OpenHooks {
  /**
   * Call it before their hooks run. Waits for room while others are open.
   * @throws when they could not be written down: no hook of theirs may run; close them all the same. The signal's reason on abort
   */
  open(pods: readonly OpenPod[], signal: AbortSignal): Promise<void>;
  /** Call it when their hooks after the backup have run, also after an abort. Never rejects. */
  close(pods: readonly OpenPod[]): Promise<void>;
}

export interface EnginePorts extends EngineContext {
  discovery: Discovery;
  exec: PodExec;
  store: EngineStore;
  actions: EngineActions;
  limits: EngineLimits;
  /** The same for all runs of the process. */
  podTurns: PodTurns;
  openHooks: OpenHooks;
  /** Absent where no VolumeSnapshotLocation is chosen. */
  nativeSnapshots?: NativeSnapshots | undefined;
  /** Called at most once a second while items come. */
  onProgress(progress: ItemProgress): void;
}

export interface EngineRequest {
  backup: RunningBackup;
  /** Compiled from the same spec, types and policies. */
  filters: BackupFilters;
  policies?: ResourcePolicies;
  /** All that discovery has found, other versions than the preferred ones too. */
  types: readonly DiscoveredType[];
  /** Feature EnableAPIGroupVersions: every version of a resource is stored. Default: the preferred one. */
  allVersions?: boolean;
  /** Default: `podVolumeOptionsDefault`. */
  podVolumes?: PodVolumeOptions;
}
