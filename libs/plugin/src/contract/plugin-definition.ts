import type { BackupItemAction } from './backup-item-action.ts';
import type { DeleteItemAction } from './delete-item-action.ts';
import type { ItemBlockAction } from './item-block-action.ts';
import type { MakeObjectStore } from './object-store.ts';
import type { RestoreItemAction } from './restore-item-action.ts';
import type { MakeVolumeSnapshotter } from './volume-snapshotter.ts';

/** Keys are the names by which users and logs know them: `example.io/wait-for-webapp`. */
export interface PluginDefinition {
  /** Names the program in its own messages: `example.io/webapp`. */
  readonly name: string;
  /**
   * Calls of its actions that the program accepts in parallel from one backup or restore, 1 to 32. Lateen makes that many; without it one after the
   * other (or as many as `--plugin-parallel-calls` of the server says). Velero makes one after the other in any case.
   *
   * Set it when no action depends on the order of the calls: between two `await`s of one call the others run.
   */
  readonly parallelCalls?: number;
  readonly backupItemActions?: Readonly<Record<string, BackupItemAction>>;
  readonly restoreItemActions?: Readonly<Record<string, RestoreItemAction>>;
  readonly itemBlockActions?: Readonly<Record<string, ItemBlockAction>>;
  readonly deleteItemActions?: Readonly<Record<string, DeleteItemAction>>;
  readonly volumeSnapshotters?: Readonly<Record<string, MakeVolumeSnapshotter>>;
  readonly objectStores?: Readonly<Record<string, MakeObjectStore>>;
}
