import type { Backup } from '@lateen/api-types';
import type { BackupOperation, BackupVolumeInfo } from '@lateen/backup-store';
import type { ActionContext, BackupItemAction, ItemBlockAction } from '@lateen/item-actions';
import type { Discovery, PodExec } from '@lateen/kube';
import type { EngineLimits } from './engine-limits.ts';

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
  hooks: { attempted: number; failed: number };
  csiSnapshotsAttempted: number;
}

/** The backup as it is worked on: validated, with the spec that the server has completed. */
export type RunningBackup = Backup & Required<Pick<Backup, 'status'>>;

/** What the engine gives an action beside what it decides itself. */
export type EngineContext = Omit<ActionContext, 'volumes' | 'noteVolume' | 'backup'>;

/** The files that the engine writes itself, while it works or at its end; those of the BackupStore. */
export interface EngineStore {
  /** Takes the tar.gz as it is made. When `pieces` throws, nothing is stored. */
  writeArchive(backup: string, pieces: AsyncIterable<Uint8Array>, options?: { signal?: AbortSignal }): Promise<void>;
}

export interface EnginePorts extends EngineContext {
  discovery: Discovery;
  exec: PodExec;
  store: EngineStore;
  /** In the order in which they run. */
  actions: { backup: readonly BackupItemAction[]; block: readonly ItemBlockAction[] };
  limits: EngineLimits;
  /** Called at most once a second, and once at the end. */
  onProgress(progress: ItemProgress): void;
}
