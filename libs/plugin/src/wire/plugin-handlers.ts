import type { ContextOf } from '../context/action-contexts.ts';
import type { Plugin } from '../define-plugin.ts';
import { backupItemActionHandlers } from './backup-item-action-handlers.ts';
import { deleteItemActionHandlers, itemBlockActionHandlers } from './item-handlers.ts';
import { objectStoreHandlers } from './object-store-handlers.ts';
import { restoreItemActionHandlers } from './restore-item-action-handlers.ts';
import { volumeSnapshotterHandlers } from './volume-snapshotter-handlers.ts';

/** All that a plugin can be asked for, by kind. `command` is the path by which its host starts it. */
export function pluginHandlers(plugin: Plugin, contextOf: ContextOf, command: string) {
  const backup = backupItemActionHandlers(plugin, contextOf);
  const restore = restoreItemActionHandlers(plugin, contextOf);
  return {
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

export type PluginHandlers = ReturnType<typeof pluginHandlers>;
