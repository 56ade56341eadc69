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
  readonly backupItemActions?: Readonly<Record<string, BackupItemAction>>;
  readonly restoreItemActions?: Readonly<Record<string, RestoreItemAction>>;
  readonly itemBlockActions?: Readonly<Record<string, ItemBlockAction>>;
  readonly deleteItemActions?: Readonly<Record<string, DeleteItemAction>>;
  readonly volumeSnapshotters?: Readonly<Record<string, MakeVolumeSnapshotter>>;
  readonly objectStores?: Readonly<Record<string, MakeObjectStore>>;
}
