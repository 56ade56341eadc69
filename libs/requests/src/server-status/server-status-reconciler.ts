import {
  type PluginInfo,
  type ServerStatusRequest,
  type ServerStatusRequestStatus,
  serverStatusRequestType,
} from '@lateen/api-types';
import type { Clock, Logger } from '@lateen/kernel';
import { apiTime, isNotFound, type KubeApi, type ObjectKey } from '@lateen/kube';
import { again, type Reconciler, settled } from '@lateen/kube-runtime';
import { deleteRequest } from '../delete-request.ts';
import { decideServerStatus, serverStatusTtlMs } from './decide-server-status.ts';

/** What the server tells about itself. */
export interface ServerFacts {
  /** With a leading `v`; see `serverVersion`. */
  version: string;
  plugins: readonly PluginInfo[];
}

export interface ServerStatusReconcilerPorts {
  kube: KubeApi;
  /** From the informer's cache. */
  getRequest(key: ObjectKey): ServerStatusRequest | undefined;
  server: ServerFacts;
  clock: Clock;
  log: Logger;
}

/** Answers ServerStatusRequests with version and plugins, and deletes them a minute later (api.md section 10). */
export function serverStatusReconciler(ports: ServerStatusReconcilerPorts): Reconciler {
  const { kube, clock, log } = ports;
  const status = (): ServerStatusRequestStatus => ({
    phase: 'Processed',
    processedTimestamp: apiTime(clock.now()),
    serverVersion: ports.server.version,
    plugins: ports.server.plugins.toSorted(byKindAndName),
  });
  return {
    reconcile: async (key) => {
      const request = ports.getRequest(key);
      if (request === undefined || request.metadata.deletionTimestamp !== undefined) return settled;
      const step = decideServerStatus(request, clock.now());
      switch (step.kind) {
        case 'answer':
          try {
            await kube.patch(serverStatusRequestType, key, { type: 'merge', body: { status: status() } });
          } catch (error) {
            // Deleted meanwhile: the answer is no longer needed.
            if (!isNotFound(error)) throw error;
            return settled;
          }
          log.debug({ request: key.name }, 'a server status request is answered');
          return again(serverStatusTtlMs, 'the answered request is deleted');
        case 'delete':
          await deleteRequest(kube, serverStatusRequestType, request);
          return settled;
        case 'wait':
          return again(step.afterMs, 'the answered request is deleted');
        default:
          return step satisfies never;
      }
    },
  };
}

/** The order in which `plugin get` prints them. */
const byKindAndName = (a: PluginInfo, b: PluginInfo): number => compare(a.kind, b.kind) || compare(a.name, b.name);

const compare = (a: string, b: string): number => (a < b ? -1 : a > b ? 1 : 0);
