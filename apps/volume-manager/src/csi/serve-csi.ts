import { join } from 'node:path';
import { RegistrationService, registrationHandlers } from '@lateen/csi';
import { makeService, type Service, serveUnix, type UnixServer } from '@lateen/grpc';
import { type Clock, type Logger, unlessAborted } from '@lateen/kernel';
import type { CsiEndpoint } from './endpoint-flags.ts';

/** Running calls get this long after SIGTERM; Kubernetes gives 30 s in all. */
const graceMs = 20_000;

interface Base {
  log: Logger;
  clock: Clock;
}

export interface ServedDriver extends CsiEndpoint {
  driverName: string;
  nodeId: string;
  services: readonly Service[];
  /** Aborts when the grace period of running calls is over. */
  stopping: AbortController;
  /** Runs while the driver is served, until the signal aborts. When it rejects, the driver ends. */
  beside?(signal: AbortSignal): Promise<void>;
}

/**
 * Serves a CSI driver (and, if configured, registers it with kubelet) until `signal` aborts.
 * @throws AppError when a socket is taken, or kubelet refuses the driver
 */
export async function serveCsi(driver: ServedDriver, base: Base, signal: AbortSignal): Promise<void> {
  const { endpoint, nodeId, driverName } = driver;
  const { log, clock } = base;
  const servers: UnixServer[] = [];
  const refused = Promise.withResolvers<never>();
  try {
    servers.push(await serveUnix(endpoint, [...driver.services], clock));
    log.info({ endpoint, nodeId, driverName }, 'serving CSI');
    if (driver.registration !== undefined)
      servers.push(await register(driver, driver.registration, base, refused.reject));
    await unlessAborted(Promise.race([refused.promise, besideOf(driver, signal)]), signal);
  } finally {
    log.info({}, 'stopping');
    await Promise.all(servers.reverse().map((server) => server.stop(graceMs)));
    driver.stopping.abort();
  }
}

/** What runs beside ends with the signal; as long as that has not aborted, its end is none of the driver's. */
async function besideOf({ beside }: ServedDriver, signal: AbortSignal): Promise<never> {
  await beside?.(signal);
  return await new Promise<never>(() => {});
}

/** A refusal ends the process: the restart makes a new socket, which makes kubelet try again. */
function register(
  { driverName }: ServedDriver,
  registration: NonNullable<CsiEndpoint['registration']>,
  { log, clock }: Base,
  refuse: (reason: Error) => void,
): Promise<UnixServer> {
  const onRefused = (reason: string) => refuse(new Error(`kubelet refused driver ${driverName}: ${reason}`));
  const handlers = registrationHandlers({ driverName, endpointPath: registration.endpointPath, onRefused, log });
  const service = makeService(RegistrationService, handlers, { log, clock, stopping: new AbortController().signal });
  return serveUnix(`unix://${join(registration.directory, `${driverName}-reg.sock`)}`, [service], clock);
}
