import { join } from 'node:path';
import { makeService, type ServiceOptions, serveUnix } from '@lateen/grpc';
import { silentLogger, systemClock } from '@lateen/kernel';
import { backupItemActionV2, goPlugin, handshakeLine, pluginLister } from '@lateen/plugin-protocol';

// A plugin program that uses the protocol directly, to misbehave as no SDK allows. Arguments: `--list=[{kind, name}]`, what it offers, and
// `--answer=TEXT`, the item of every answer. It has neither the health service nor the output for the host.

const argument = (name: string): string | undefined =>
  process.argv.find((each) => each.startsWith(`--${name}=`))?.slice(name.length + 3);

const offered: { kind: string; name: string }[] = JSON.parse(argument('list') ?? '[]');
const item = Buffer.from(argument('answer') ?? '');
const options: ServiceOptions = { log: silentLogger, clock: systemClock, stopping: new AbortController().signal };

const services = [
  makeService<pluginLister.PluginListerServer>(
    pluginLister.PluginListerService,
    { listPlugins: async () => ({ plugins: offered.map((each) => ({ command: '', ...each })) }) },
    options,
  ),
  makeService<backupItemActionV2.BackupItemActionServer>(
    backupItemActionV2.BackupItemActionService,
    {
      appliesTo: async () => ({ ResourceSelector: undefined }),
      execute: async () => ({ item, additionalItems: [], operationID: '', postOperationItems: [] }),
    },
    options,
  ),
  makeService<goPlugin.GRPCControllerServer>(
    goPlugin.GRPCControllerService,
    {
      shutdown: async () => {
        setImmediate(() => process.exit(0));
        return {};
      },
    },
    options,
  ),
];
const socket = join(process.env.PLUGIN_UNIX_SOCKET_DIR ?? '.', 'plugin');
await serveUnix(`unix://${socket}`, services, systemClock);
process.stdout.write(`${handshakeLine(socket)}\n`);
