import { downloadRequestType, serverStatusRequestType } from '@lateen/api-types';
import type { Clock, Logger, Random } from '@lateen/kernel';
import { type KubeApi, type KubeObject, keyOf, keyText } from '@lateen/kube';
import { eventRecorder, type Informer, informer, runController, type WorkQueue, workQueue } from '@lateen/kube-runtime';
import type { ListAccountKey } from '@lateen/repository';
import { downloadCheckMs } from './download/decide-download.ts';
import { downloadReconciler } from './download/download-reconciler.ts';
import type { OpenStore } from './download/sign-download.ts';
import { type ServerFacts, serverStatusReconciler } from './server-status/server-status-reconciler.ts';

export interface RequestControllersOptions {
  kube: KubeApi;
  /** Only requests of this namespace are answered. */
  namespace: string;
  listAccountKey: ListAccountKey;
  openStore: OpenStore;
  server: ServerFacts;
  /** Of the Events: this process, among replicas. */
  identity: string;
  clock: Clock;
  random: Random;
  log: Logger;
}

/** Requests worked on at once; see also `turnsPerLocation`. */
export const requestWorkers = { downloads: 16, serverStatuses: 2 } as const;

/** More requests than this at once is a flood; what does not fit is found by the next look at all of them. */
const requestsMax = 10_000;

/** All requests are looked at again this often (api.md sections 9 and 10). */
const serverStatusCheckMs = 300_000;

/** Runs the controllers of DownloadRequest and ServerStatusRequest until `signal` aborts. */
export async function runRequestControllers(options: RequestControllersOptions, signal: AbortSignal): Promise<void> {
  const { kube, namespace, listAccountKey, openStore, identity, clock, random, log } = options;
  const base = { api: kube, namespace, clock, random, log };
  const queue = (name: string) => workQueue({ name, clock, random, limits: { keysMax: requestsMax } });
  const events = eventRecorder({ ...base, component: 'lateen-controller', host: identity });
  const downloads = informer({ ...base, type: downloadRequestType, resyncMs: downloadCheckMs });
  const downloadQueue = queue('download-request');
  const statuses = informer({ ...base, type: serverStatusRequestType, resyncMs: serverStatusCheckMs });
  const statusQueue = queue('server-status-request');
  feed(downloads, downloadQueue);
  feed(statuses, statusQueue);
  const common = { kube, clock, log };
  await Promise.all([
    downloads.run(signal),
    statuses.run(signal),
    runController({
      name: downloadQueue.name,
      queue: downloadQueue,
      reconciler: downloadReconciler({ ...common, getRequest: downloads.get, listAccountKey, openStore, events }),
      workers: requestWorkers.downloads,
      clock,
      log,
      signal,
    }),
    runController({
      name: statusQueue.name,
      queue: statusQueue,
      reconciler: serverStatusReconciler({ ...common, getRequest: statuses.get, server: options.server }),
      workers: requestWorkers.serverStatuses,
      clock,
      log,
      signal,
    }),
  ]);
}

function feed<T extends KubeObject>(requests: Informer<T>, queue: WorkQueue): void {
  requests.onChange(({ type, object }) => {
    if (type !== 'deleted') queue.add(keyText(keyOf(object)));
  });
}
