import { rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describeError } from '@lateen/errors';
import { type Service, type ServiceOptions, serveUnix, type UnixServer } from '@lateen/grpc';
import { type Logger, silentLogger, systemClock, systemRandom } from '@lateen/kernel';
import { handshakeLine } from '@lateen/plugin-protocol';
import { actionContexts } from '../context/action-contexts.ts';
import type { Plugin } from '../define-plugin.ts';
import { pluginHandlers } from '../wire/plugin-handlers.ts';
import { pluginWireError } from '../wire/wire-error.ts';
import { captureOutput } from './captured-output.ts';
import { goPluginServices } from './go-plugin-services.ts';
import { kubeOfPod } from './kube-of-pod.ts';
import { pluginServices } from './plugin-services.ts';
import { logLevelIn, programLog } from './program-log.ts';
import { type Environment, whyNotServed } from './startup-checks.ts';

/** Items of the API have at most 3 MiB there; requests carry one twice. */
const requestBytesMax = 64 * 1024 * 1024;

/** Hosts kill a program two seconds after they have asked it to end. */
const graceMs = 1_500;

/**
 * Serves a plugin to the server that has started this process, until that asks it to end (Shutdown, or SIGTERM), and ends the process then.
 * The last statement of a plugin program. A process that was not started as a plugin prints what it is, and ends with 1.
 *
 * What is thrown outside of a call ends the process with 2, as a panic does; the server starts a new one for the next call.
 */
export async function servePlugin(plugin: Plugin): Promise<void> {
  const { env, argv, stdout, stderr } = process;
  const why = whyNotServed(plugin, env);
  if (why !== undefined) {
    stderr.write(why);
    process.exitCode = 1;
    return;
  }
  const log = programLog({ level: logLevelIn(argv) }).child({ '@module': plugin.name });
  endOnUncaught();
  const end = Promise.withResolvers<void>();
  process.on('SIGTERM', () => end.resolve());
  // A terminal sends it to the server too, which still needs its plugins then.
  process.on('SIGINT', () => {});
  const stopping = new AbortController();
  const server = await listen(plugin, env, { log, stopping: stopping.signal, shutDown: () => end.resolve() });
  const multiplex = env.PLUGIN_MULTIPLEX_GRPC ? '|false' : '';
  stdout.write(`${handshakeLine(server.path)}${multiplex}\n`);
  captureOutput(stdout, log);
  await end.promise;
  stopping.abort(new DOMException('the program has been asked to end', 'AbortError'));
  await server.stop(graceMs);
  await rm(server.path, { force: true });
  process.exit(0);
}

async function listen(
  plugin: Plugin,
  env: Environment,
  { log, stopping, shutDown }: { log: Logger; stopping: AbortSignal; shutDown: () => void },
): Promise<UnixServer> {
  const ports = { clock: systemClock, random: systemRandom, log };
  const contextOf = actionContexts({ ...ports, ...(await kubeOfPod(env, ports)) });
  // The caller logs what fails, and bodies may be Secrets.
  const options: ServiceOptions = {
    ...ports,
    log: silentLogger,
    stopping,
    errors: pluginWireError,
    callMsMax: Number.POSITIVE_INFINITY,
  };
  const services: Service[] = [
    ...pluginServices(pluginHandlers(plugin, contextOf, process.argv[1] ?? ''), options),
    ...goPluginServices(shutDown, { ...options, errors: 'statuses' }),
  ];
  const socket = join(env.PLUGIN_UNIX_SOCKET_DIR || tmpdir(), `plugin${systemRandom.suffix(8)}`);
  return serveUnix(`unix://${socket}`, services, systemClock, { requestBytesMax });
}

/** Hosts take what follows `panic: ` on standard error for the cause of the end. */
function endOnUncaught(): void {
  process.on('uncaughtException', (error) => {
    const stack = error instanceof Error ? (error.stack ?? '') : '';
    process.stderr.write(`panic: ${describeError(error)}\n\n${stack}\n`);
    process.exit(2);
  });
}
