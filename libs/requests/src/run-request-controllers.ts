import { downloadRequestType, serverStatusRequestType } from '@lateen/api-types';
import { type ControllerBase, controller, eventRecorder, informer } from '@lateen/kube-runtime';
import type { ReachPorts } from '@lateen/storage-location';
import { downloadCheckMs } from './download/decide-download.ts';
import { downloadReconciler } from './download/download-reconciler.ts';
import { type ServerFacts, serverStatusReconciler } from './server-status/server-status-reconciler.ts';

export interface RequestControllersOptions extends ControllerBase, ReachPorts {
  /** Only requests of this namespace are answered. */
  namespace: string;
  server: ServerFacts;
  /** Of the Events: this process, among replicas. */
  identity: string;
}

/** Requests worked on at once; see also `turnsPerLocation`. */
export const requestWorkers = { downloads: 16, serverStatuses: 2 } as const;

/** More requests than this at once is a flood; what does not fit is found by the next look at all of them. */
const requestsMax = 10_000;

/** All requests are checked again this often (api.md sections 9 and 10). */
const serverStatusCheckMs = 300_000;

/** Runs the controllers of DownloadRequest and ServerStatusRequest until `signal` aborts. */
export async function runRequestControllers(options: RequestControllersOptions, signal: AbortSignal): Promise<void> {
  const { kube, namespace, listAccountKey, openStore, identity, clock, random, log } = options;
  const informed = { api: kube, namespace, clock, random, log };
  const events = eventRecorder({ ...informed, component: 'lateen-controller', host: identity });
  const downloads = informer({ ...informed, type: downloadRequestType, resyncMs: downloadCheckMs });
  const statuses = informer({ ...informed, type: serverStatusRequestType, resyncMs: serverStatusCheckMs });
  const common = { kube, clock, log };
  const shared = { limits: { keysMax: requestsMax }, wakes: exists };
  await Promise.all([
    downloads.run(signal),
    statuses.run(signal),
    controller(options, {
      ...shared,
      name: 'download-request',
      for: downloads,
      reconciler: (queue) =>
        downloadReconciler({ ...common, getRequest: downloads.get, listAccountKey, openStore, events }, queue),
      workers: requestWorkers.downloads,
    }).run(signal),
    controller(options, {
      ...shared,
      name: 'server-status-request',
      for: statuses,
      reconciler: () => serverStatusReconciler({ ...common, getRequest: statuses.get, server: options.server }),
      workers: requestWorkers.serverStatuses,
    }).run(signal),
  ]);
}

const exists = ({ type }: { type: string }): boolean => type !== 'deleted';
