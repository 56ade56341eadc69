import { mkdir } from 'node:fs/promises';
import { AppError } from '@lateen/errors';
import { serveTcp, serveUnix } from '@lateen/grpc';
import { instanceService, replicaService } from '@lateen/instance-api';
import { boundLogs, logLimits, ProcessKeeper, realMachine, recordFiles } from '@lateen/instance-host';
import { systemClock as clock, type Logger, systemRandom as random } from '@lateen/kernel';
import { type ProbesOptions, startProbes } from '@lateen/probes';
import type { Environment, ServeConfig } from '../config/serve-config.ts';
import { placesOf } from '../places.ts';
import { neededProgram, programOnPath } from '../programs.ts';
import { replicaControl } from '../replicas/replica-control.ts';
import { transferMetrics } from '../transfers/transfer-metrics.ts';
import { checkedDaemonVersion } from './check-daemon.ts';
import { composeHosts, type Hosts } from './compose-hosts.ts';
import { tlsFilesIn } from './tls.ts';

/** Time for running calls after the stop; the next `serve` continues what they have begun. */
const stopMs = 5_000;
/** How often the state on the board that has no events is read. */
const lookEveryMs = 15_000;

/**
 * Serves the instance API of a node until `stop` aborts. The processes it has started continue then, and the next `serve` takes them over.
 * @throws AppError `SOCKET_IN_USE` while another one serves from the same runtime directory, `PROGRAM_NOT_FOUND`, `STORAGE_DAEMON_UNFIT`,
 * `TLS_FILES`, `LISTEN_FAILED`, `PORT_UNAVAILABLE`
 */
export async function runServe(
  config: ServeConfig,
  environment: Environment,
  { log, stop }: { log: Logger; stop: AbortSignal },
): Promise<void> {
  await using undo = new AsyncDisposableStack();
  const places = placesOf(config.runtimeDirectory);
  for (const directory of [config.runtimeDirectory, places.processes, places.instances, places.logs, places.fronts])
    await mkdir(directory, { recursive: true, mode: 0o700 });
  const lock = await serveUnix(`unix://${places.lock}`, [], clock);
  undo.defer(() => lock.stop(0));
  let missing: string | undefined = 'what runs on the node has not been looked at yet';
  let hosts: Hosts | undefined;
  const register: ProbesOptions['register'] = (registry) => transferMetrics(registry, () => hosts?.instances() ?? []);
  const { host: address, port: healthPort } = config.health;
  const probes = await startProbes({ address, port: healthPort, notReady: () => missing, register });
  undo.defer(() => probes.close());
  const programs = await foundPrograms(config, environment.PATH ?? '');
  const qsdVersion = await checkedDaemonVersion(
    programs.qemuStorageDaemon,
    { directory: config.runtimeDirectory, clock, random, log },
    stop,
  );
  const stopping = new AbortController();
  undo.defer(() => stopping.abort(new AppError('STOPPED', 'the instance manager ends')));
  const keeper = await ProcessKeeper.open({
    machine: realMachine({ env: childEnvironment(environment), logs: places.logs }),
    records: recordFiles(places.processes),
    answers: async (process) => hosts?.answers(process) ?? true,
    clock,
    log,
  });
  hosts = await composeHosts({
    config,
    environment,
    places,
    programs,
    qsdVersion,
    keeper,
    log,
    stopping: stopping.signal,
  });
  undo.defer(() => hosts?.close());
  const { host, replicas, noticed, adopt, look } = hosts;
  const loops = [
    keeper.run(stopping.signal, (state) => noticed(state)),
    repeat(lookEveryMs, stopping.signal, log, look),
    repeat(logLimits.everyMs, stopping.signal, log, () => boundLogs(places.logs)),
  ];
  undo.defer(async () => void (await Promise.all(loops)));
  undo.defer(() => stopping.abort(new AppError('STOPPED', 'the instance manager ends')));
  await adopt(stop);
  const service = { log, clock, stopping: stopping.signal };
  const server = await serveTcp(
    { ...config.listen, tls: tlsFilesIn(config.tlsDirectory) },
    [instanceService(host, service), replicaService(replicaControl(replicas), service)],
    clock,
  );
  undo.defer(() => server.stop(stopMs));
  missing = undefined;
  log.info({ node: config.node, name: config.name, port: server.port, qsdVersion }, 'serving the instance API');
  await new Promise<void>((resolve) =>
    stop.aborted ? resolve() : stop.addEventListener('abort', () => resolve(), { once: true }),
  );
  missing = 'stopping';
  log.info({}, 'serve ends; what runs for volumes continues');
}

async function foundPrograms({ programs }: ServeConfig, path: string) {
  return {
    qemuStorageDaemon: await neededProgram(programs.qemuStorageDaemon, path),
    qemuImg: await neededProgram(programs.qemuImg, path),
    nbdfuse: await neededProgram(programs.nbdfuse, path),
    /** Only needed when the kernel has NBD. */
    nbdClient: await programOnPath(programs.nbdClient, path),
  };
}

/** Environment of processes that outlive this program: where to find other programs and the API server with its token. No secrets. */
const handedOn = ['PATH', 'HOME', 'KUBERNETES_SERVICE_HOST', 'KUBERNETES_SERVICE_PORT', 'LATEEN_SERVICE_ACCOUNT'];

const childEnvironment = (environment: Environment): Readonly<Record<string, string>> =>
  Object.fromEntries(
    handedOn.flatMap((name) => {
      const value = environment[name];
      return value === undefined ? [] : [[name, value]];
    }),
  );

async function repeat(everyMs: number, signal: AbortSignal, log: Logger, act: () => Promise<void>): Promise<void> {
  while (!signal.aborted) {
    await act().catch((error: unknown) => {
      if (!signal.aborted) log.warn({ err: error }, 'the node could not be looked at');
    });
    await clock.sleep(everyMs, signal).catch(() => {});
  }
}
