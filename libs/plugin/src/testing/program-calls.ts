import { connectUnix } from '@lateen/grpc';
import {
  backupItemActionV1,
  backupItemActionV2,
  deleteItemAction,
  goPlugin,
  itemBlockAction,
  objectStore,
  pluginLister,
  restoreItemActionV1,
  restoreItemActionV2,
  volumeSnapshotter,
} from '@lateen/plugin-protocol';
import type { PluginCalls } from './plugin-calls.ts';

/** Like hosts in Go, which accept messages of any size. */
const hostLimits = { answerBytesMax: 2 ** 31 - 1 };

/** The calls of a program that serves on a socket. Dispose to close the connections. */
export function programCalls(endpoint: string) {
  using open = new DisposableStack();
  const calls: PluginCalls = {
    lister: open.use(
      connectUnix<pluginLister.PluginListerServer>(endpoint, pluginLister.PluginListerClient, hostLimits),
    ),
    backupItemActionV1: open.use(
      connectUnix<backupItemActionV1.BackupItemActionServer>(
        endpoint,
        backupItemActionV1.BackupItemActionClient,
        hostLimits,
      ),
    ),
    backupItemActionV2: open.use(
      connectUnix<backupItemActionV2.BackupItemActionServer>(
        endpoint,
        backupItemActionV2.BackupItemActionClient,
        hostLimits,
      ),
    ),
    restoreItemActionV1: open.use(
      connectUnix<restoreItemActionV1.RestoreItemActionServer>(
        endpoint,
        restoreItemActionV1.RestoreItemActionClient,
        hostLimits,
      ),
    ),
    restoreItemActionV2: open.use(
      connectUnix<restoreItemActionV2.RestoreItemActionServer>(
        endpoint,
        restoreItemActionV2.RestoreItemActionClient,
        hostLimits,
      ),
    ),
    itemBlockAction: open.use(
      connectUnix<itemBlockAction.ItemBlockActionServer>(endpoint, itemBlockAction.ItemBlockActionClient, hostLimits),
    ),
    deleteItemAction: open.use(
      connectUnix<deleteItemAction.DeleteItemActionServer>(
        endpoint,
        deleteItemAction.DeleteItemActionClient,
        hostLimits,
      ),
    ),
    volumeSnapshotter: open.use(
      connectUnix<volumeSnapshotter.VolumeSnapshotterServer>(
        endpoint,
        volumeSnapshotter.VolumeSnapshotterClient,
        hostLimits,
      ),
    ),
    objectStore: open.use(
      connectUnix<objectStore.ObjectStoreServer>(endpoint, objectStore.ObjectStoreClient, hostLimits),
    ),
  };
  const controller = open.use(
    connectUnix<goPlugin.GRPCControllerServer>(endpoint, goPlugin.GRPCControllerClient, hostLimits),
  );
  const connections = open.move();
  return {
    calls,
    /** Asks the program to end. The response may be lost, because the program ends. */
    shutDown: async (signal: AbortSignal) => void (await controller.shutdown({}, { signal }).catch(() => {})),
    [Symbol.dispose]: () => connections.dispose(),
  };
}
