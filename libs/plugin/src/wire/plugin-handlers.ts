import type { ServiceHandlers } from '@lateen/grpc';
import type {
  backupItemActionV1,
  backupItemActionV2,
  deleteItemAction,
  itemBlockAction,
  lateenProgram,
  objectStore,
  pluginLister,
  restoreItemActionV1,
  restoreItemActionV2,
  volumeSnapshotter,
} from '@lateen/plugin-protocol';
import type { ContextOf } from '../context/action-contexts.ts';
import type { Plugin } from '../define-plugin.ts';
import { backupItemActionHandlers } from './backup-item-action-handlers.ts';
import { deleteItemActionHandlers, itemBlockActionHandlers } from './item-handlers.ts';
import { objectStoreHandlers } from './object-store-handlers.ts';
import { restoreItemActionHandlers } from './restore-item-action-handlers.ts';
import { volumeSnapshotterHandlers } from './volume-snapshotter-handlers.ts';

/** All that a plugin can be asked for, by kind. */
export interface PluginHandlers {
  program: ServiceHandlers<lateenProgram.ProgramServer>;
  lister: ServiceHandlers<pluginLister.PluginListerServer>;
  backupItemActionV1: ServiceHandlers<backupItemActionV1.BackupItemActionServer>;
  backupItemActionV2: ServiceHandlers<backupItemActionV2.BackupItemActionServer>;
  restoreItemActionV1: ServiceHandlers<restoreItemActionV1.RestoreItemActionServer>;
  restoreItemActionV2: ServiceHandlers<restoreItemActionV2.RestoreItemActionServer>;
  itemBlockAction: ServiceHandlers<itemBlockAction.ItemBlockActionServer>;
  deleteItemAction: ServiceHandlers<deleteItemAction.DeleteItemActionServer>;
  volumeSnapshotter: ServiceHandlers<volumeSnapshotter.VolumeSnapshotterServer>;
  objectStore: ServiceHandlers<objectStore.ObjectStoreServer>;
}

/** @param command the path by which the host starts the program */
export function pluginHandlers(plugin: Plugin, contextOf: ContextOf, command: string): PluginHandlers {
  const backup = backupItemActionHandlers(plugin, contextOf);
  const restore = restoreItemActionHandlers(plugin, contextOf);
  return {
    program: { describe: async () => ({ parallelCalls: plugin.parallelCalls ?? 0 }) },
    lister: { listPlugins: async () => ({ plugins: plugin.offers.map((offer) => ({ command, ...offer })) }) },
    backupItemActionV1: backup.v1,
    backupItemActionV2: backup.v2,
    restoreItemActionV1: restore.v1,
    restoreItemActionV2: restore.v2,
    itemBlockAction: itemBlockActionHandlers(plugin, contextOf),
    deleteItemAction: deleteItemActionHandlers(plugin, contextOf),
    volumeSnapshotter: volumeSnapshotterHandlers(plugin, contextOf),
    objectStore: objectStoreHandlers(plugin, contextOf),
  };
}
