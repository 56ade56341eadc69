import { join } from 'node:path';
import { csi, RegistrationService, registrationHandlers } from '@lateen/csi';
import { InFlight, makeService, serveUnix, type UnixServer } from '@lateen/grpc';
import { type Clock, type Logger, unlessAborted } from '@lateen/kernel';
import { type Files, openVolumes, type RunCommand } from '@lateen/volume';
import { identityHandlers } from '../csi/identity-service.ts';
import { driverName } from '../driver-name.ts';
import { controllerHandlers } from './controller-service.ts';
import type { LocalConfig } from './local-config.ts';
import { nodeHandlers } from './node-service.ts';
import { operationKeys } from './operation-keys.ts';

export interface Base {
  log: Logger;
  clock: Clock;
  run: RunCommand;
  files: Files;
}

/** Running calls get this long after SIGTERM; Kubernetes gives 30 s in all. */
const graceMs = 20_000;

/**
 * Recovers the state directory, then serves CSI (and, if configured, registers with kubelet) until `signal` aborts.
 * @throws AppError when the state cannot be opened, a socket is taken, or kubelet refuses the driver.
 */
export async function serveLocal(config: LocalConfig, base: Base, signal: AbortSignal): Promise<void> {
  const { log, clock } = base;
  const host = { run: base.run, files: base.files, log, clock };
  const { nodeId, stateDirectory } = config;
  const copyMode = config.dropReflink ? ({ copyMode: 'plain' } as const) : {};
  const deps = await openVolumes({ stateDirectory, nodeId, host, ...copyMode }, signal);
  const stopping = new AbortController();
  const options = { log, clock, stopping: stopping.signal, keysOf: operationKeys(nodeId), inFlight: new InFlight() };
  const services = [
    makeService(csi.IdentityService, identityHandlers, options),
    makeService(csi.ControllerService, controllerHandlers(deps), options),
    makeService(csi.NodeService, nodeHandlers(deps), options),
  ];
  const servers: UnixServer[] = [];
  const refused = Promise.withResolvers<never>();
  try {
    servers.push(await serveUnix(config.endpoint, services, clock));
    log.info({ endpoint: config.endpoint, nodeId }, 'serving CSI');
    if (config.registration !== undefined) servers.push(await register(config.registration, base, refused.reject));
    await unlessAborted(refused.promise, signal);
  } finally {
    log.info({}, 'stopping');
    await Promise.all(servers.reverse().map((server) => server.stop(graceMs)));
    stopping.abort();
  }
}

/** A refusal ends the process: the restart makes a new socket, which is what makes kubelet ask again. */
function register(
  registration: NonNullable<LocalConfig['registration']>,
  { log, clock }: Base,
  refuse: (reason: Error) => void,
): Promise<UnixServer> {
  const onRefused = (reason: string) => refuse(new Error(`kubelet refused driver ${driverName}: ${reason}`));
  const handlers = registrationHandlers({ driverName, endpointPath: registration.endpointPath, onRefused, log });
  const service = makeService(RegistrationService, handlers, { log, clock, stopping: new AbortController().signal });
  return serveUnix(`unix://${join(registration.directory, `${driverName}-reg.sock`)}`, [service], clock);
}
