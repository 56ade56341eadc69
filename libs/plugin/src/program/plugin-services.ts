import { makeService, type Service, type ServiceHandlers, type ServiceOptions } from '@lateen/grpc';
import {
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
import type { PluginHandlers } from '../wire/plugin-handlers.ts';

/** The gRPC services of a plugin. All kinds are served, also those of which it has nothing: hosts may ask for any. */
export function pluginServices(handlers: PluginHandlers, options: ServiceOptions): Service[] {
  const service = <Server>(definition: Service['definition'], of: ServiceHandlers<Server>) =>
    makeService<Server>(definition, of, options);
  return [
    service<lateenProgram.ProgramServer>(lateenProgram.ProgramService, handlers.program),
    service<pluginLister.PluginListerServer>(pluginLister.PluginListerService, handlers.lister),
    service<backupItemActionV1.BackupItemActionServer>(
      backupItemActionV1.BackupItemActionService,
      handlers.backupItemActionV1,
    ),
    service<backupItemActionV2.BackupItemActionServer>(
      backupItemActionV2.BackupItemActionService,
      handlers.backupItemActionV2,
    ),
    service<restoreItemActionV1.RestoreItemActionServer>(
      restoreItemActionV1.RestoreItemActionService,
      handlers.restoreItemActionV1,
    ),
    service<restoreItemActionV2.RestoreItemActionServer>(
      restoreItemActionV2.RestoreItemActionService,
      handlers.restoreItemActionV2,
    ),
    service<itemBlockAction.ItemBlockActionServer>(itemBlockAction.ItemBlockActionService, handlers.itemBlockAction),
    service<deleteItemAction.DeleteItemActionServer>(
      deleteItemAction.DeleteItemActionService,
      handlers.deleteItemAction,
    ),
    service<volumeSnapshotter.VolumeSnapshotterServer>(
      volumeSnapshotter.VolumeSnapshotterService,
      handlers.volumeSnapshotter,
    ),
    service<objectStore.ObjectStoreServer>(objectStore.ObjectStoreService, handlers.objectStore),
  ];
}
