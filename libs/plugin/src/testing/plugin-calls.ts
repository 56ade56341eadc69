import type { CallContext, Service, ServiceClient, ServiceHandlers } from '@lateen/grpc';
import { silentLogger } from '@lateen/kernel';
import {
  backupItemActionV1,
  backupItemActionV2,
  deleteItemAction,
  itemBlockAction,
  objectStore,
  pluginLister,
  restoreItemActionV1,
  restoreItemActionV2,
  volumeSnapshotter,
} from '@lateen/plugin-protocol';
import type { PluginHandlers } from '../wire/plugin-handlers.ts';

/** The calls of a plugin, in this process or in another. */
export interface PluginCalls {
  lister: ServiceClient<pluginLister.PluginListerServer>;
  backupItemActionV1: ServiceClient<backupItemActionV1.BackupItemActionServer>;
  backupItemActionV2: ServiceClient<backupItemActionV2.BackupItemActionServer>;
  restoreItemActionV1: ServiceClient<restoreItemActionV1.RestoreItemActionServer>;
  restoreItemActionV2: ServiceClient<restoreItemActionV2.RestoreItemActionServer>;
  itemBlockAction: ServiceClient<itemBlockAction.ItemBlockActionServer>;
  deleteItemAction: ServiceClient<deleteItemAction.DeleteItemActionServer>;
  volumeSnapshotter: ServiceClient<volumeSnapshotter.VolumeSnapshotterServer>;
  objectStore: ServiceClient<objectStore.ObjectStoreServer>;
}

/** Calls without a process; each message is encoded and decoded, so that a test sees what the wire format keeps. */
export function callsInProcess(handlers: PluginHandlers): PluginCalls {
  return {
    lister: direct<pluginLister.PluginListerServer>(pluginLister.PluginListerService, handlers.lister),
    backupItemActionV1: direct<backupItemActionV1.BackupItemActionServer>(
      backupItemActionV1.BackupItemActionService,
      handlers.backupItemActionV1,
    ),
    backupItemActionV2: direct<backupItemActionV2.BackupItemActionServer>(
      backupItemActionV2.BackupItemActionService,
      handlers.backupItemActionV2,
    ),
    restoreItemActionV1: direct<restoreItemActionV1.RestoreItemActionServer>(
      restoreItemActionV1.RestoreItemActionService,
      handlers.restoreItemActionV1,
    ),
    restoreItemActionV2: direct<restoreItemActionV2.RestoreItemActionServer>(
      restoreItemActionV2.RestoreItemActionService,
      handlers.restoreItemActionV2,
    ),
    itemBlockAction: direct<itemBlockAction.ItemBlockActionServer>(
      itemBlockAction.ItemBlockActionService,
      handlers.itemBlockAction,
    ),
    deleteItemAction: direct<deleteItemAction.DeleteItemActionServer>(
      deleteItemAction.DeleteItemActionService,
      handlers.deleteItemAction,
    ),
    volumeSnapshotter: direct<volumeSnapshotter.VolumeSnapshotterServer>(
      volumeSnapshotter.VolumeSnapshotterService,
      handlers.volumeSnapshotter,
    ),
    objectStore: direct<objectStore.ObjectStoreServer>(objectStore.ObjectStoreService, handlers.objectStore),
  };
}

type Handler = (given: unknown, context: CallContext) => unknown;
type Method = Service['definition'][string];

function direct<Server>(definition: Service['definition'], handlers: ServiceHandlers<Server>): ServiceClient<Server> {
  const methods = Object.entries(handlers as Record<string, Handler>).map(([name, handler]) => {
    const method = definition[name];
    if (method === undefined) throw new Error(`the service has no method ${name}`);
    return [
      name,
      (given: unknown, { signal }: { signal: AbortSignal }) => call(method, handler, given, signal),
    ] as const;
  });
  return Object.fromEntries(methods) as ServiceClient<Server>;
}

function call(method: Method, handler: Handler, given: unknown, signal: AbortSignal): unknown {
  const context: CallContext = { signal, log: silentLogger, header: () => undefined };
  const request = (value: unknown) => method.requestDeserialize(method.requestSerialize(value));
  const response = (value: unknown) => method.responseDeserialize(method.responseSerialize(value));
  const asked = method.requestStream ? each(given as AsyncIterable<unknown>, request) : request(given);
  if (method.responseStream) return each(handler(asked, context) as AsyncIterable<unknown>, response);
  return (handler(asked, context) as Promise<unknown>).then(response);
}

async function* each(values: AsyncIterable<unknown>, convert: (value: unknown) => unknown): AsyncGenerator<unknown> {
  for await (const value of values) yield convert(value);
}
