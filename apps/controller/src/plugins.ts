import { join } from 'node:path';
import type { PluginInfo } from '@lateen/api-types';
import type { BuiltInActions } from '@lateen/item-actions';
import type { ControllerBase } from '@lateen/kube-runtime';
import { credentialFilesIn, type SnapshotterPorts } from '@lateen/native-snapshots';
import type { ObjectStore } from '@lateen/object-store';
import { type PluginHost, pluginHost } from '@lateen/plugin-host';
import { secretsDirectoryOf } from '@lateen/repository';
import { builtInPlugins } from '@lateen/requests';
import type { PluginLocation } from '@lateen/storage-location';
import type { ControllerConfig } from './config.ts';

/** What plugin programs add to the controller. */
export interface ControllerPlugins extends SnapshotterPorts {
  /** The built-in actions, followed by those of plugin programs. */
  actions: BuiltInActions;
  /** All plugins, built in or not, for `plugin get`. */
  list: readonly PluginInfo[];
  /** The store of a location whose provider only a plugin supports. */
  openStore(location: PluginLocation): Promise<ObjectStore>;
  /** Runs until the signal aborts; then no plugin process is left. */
  run(signal: AbortSignal): Promise<void>;
}

/** Asks the programs of the directory which plugins they offer; an unusable program does not stop the controller. */
export async function controllerPlugins(
  config: ControllerConfig,
  { clock, random, log }: ControllerBase,
  builtIn: BuiltInActions,
  signal: AbortSignal,
): Promise<ControllerPlugins> {
  const { environment, namespace, logLevel, scratchDirectory, plugins } = config;
  const inside = [...builtInPlugins, ...actionPlugins(builtIn)];
  const secrets = secretsDirectoryOf(environment) ?? scratchDirectory;
  const credentialFiles = credentialFilesIn(join(secrets, 'plugin-credentials'));
  const host = pluginHost({
    directory: plugins.directory,
    temporaryDirectory: join(scratchDirectory, 'plugins'),
    credentialFiles,
    builtIn: inside,
    logLevel,
    memoryBytesMax: plugins.memoryBytesMax,
    limits: { callMs: plugins.callMs, actionCallsInFlightMax: plugins.parallelCalls },
    environment,
    veleroNamespace: namespace,
    passCredentials: plugins.passCredentials,
    ...{ clock, random, log },
  });
  await host.start(signal);
  return {
    actions: withPluginActions(builtIn, host),
    list: [...inside, ...host.list()],
    snapshotters: host,
    credentialFiles,
    openStore: (location) => host.objectStore(location, signal),
    run: (either) => host.run(either),
  };
}

type PluginKind = NonNullable<Parameters<typeof pluginHost>[0]['builtIn'][number]>['kind'];

/** Actions that start operations are of version 2, as in Velero. */
function actionPlugins({
  backup,
  restore,
  block,
  delete: deletion,
}: BuiltInActions): { name: string; kind: PluginKind }[] {
  const of = (actions: readonly { name: string }[], kind: PluginKind) => actions.map(({ name }) => ({ name, kind }));
  const versioned = (
    actions: readonly { name: string; progress?: unknown }[],
    kind: 'BackupItemAction' | 'RestoreItemAction',
  ) => actions.map(({ name, progress }) => ({ name, kind: progress === undefined ? kind : (`${kind}V2` as const) }));
  return [
    ...versioned(backup, 'BackupItemAction'),
    ...versioned(restore, 'RestoreItemAction'),
    ...of(deletion, 'DeleteItemAction'),
    ...of(block, 'ItemBlockAction'),
  ];
}

function withPluginActions(builtIn: BuiltInActions, host: PluginHost): BuiltInActions {
  const added = host.actions();
  return {
    backup: [...builtIn.backup, ...added.backup],
    restore: [...builtIn.restore, ...added.restore],
    block: [...builtIn.block, ...added.block],
    delete: [...builtIn.delete, ...added.delete],
  };
}
