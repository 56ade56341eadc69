import { type HostApi, hostApi, type InstanceHost, type ReplicaControl } from '@lateen/block-engine';
import { makeService, type Service } from '@lateen/grpc';
import type { Clock, Logger } from '@lateen/kernel';
import { InstanceManagerService, ReplicaManagerService } from './generated/instance.ts';
import { hostHandlers } from './host-handlers.ts';
import { operationKeys } from './operation-keys.ts';
import { replicaHandlers } from './replica-handlers.ts';

export interface InstanceServiceOptions {
  log: Logger;
  clock: Clock;
  /** Aborts when the server is forced to stop. */
  stopping: AbortSignal;
  /** Another release, in tests. */
  api?: HostApi;
  /** How long a call waits for another one on the same replica, engine or front end before it is answered ABORTED. */
  busyWaitMs?: number;
}

/** What an instance manager serves (`serveTcp`, `serveUnix` of `@lateen/grpc`). */
export function instanceService(host: InstanceHost, { api = hostApi, ...options }: InstanceServiceOptions): Service {
  return makeService(InstanceManagerService, hostHandlers(host, api), {
    ...options,
    errors: 'whole',
    keysOf: operationKeys,
  });
}

/** What an instance manager serves to engines, beside {@link instanceService}. Calls on one replica wait for each other in the port itself. */
export function replicaService(
  control: ReplicaControl,
  { api = hostApi, ...options }: InstanceServiceOptions,
): Service {
  return makeService(ReplicaManagerService, replicaHandlers(control, api), { ...options, errors: 'whole' });
}
