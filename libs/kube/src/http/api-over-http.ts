import type { KubeObject, ResourceType } from '@lateen/api-types';
import type { AppError } from '@lateen/errors';
import type { Clock, Logger, Random } from '@lateen/kernel';
import type { KubeApi, ListOptions, ListPage, PodLogs } from '../kube-api.ts';
import { kubeError } from '../kube-error.ts';
import { apiVersionOf } from '../resource-type.ts';
import { type HttpAnswer, type HttpTransport, isRead } from './http-transport.ts';
import { podLogRequest } from './pod-log-request.ts';
import { type AnswerContext, readError, readJson, readText } from './read-answer.ts';
import type { PlannedRequest } from './request-builders.ts';
import * as requests from './request-builders.ts';
import { type RetryLimits, retryLimitsDefault, withRetry } from './retry.ts';
import { isGood, sendFresh } from './send-fresh.ts';
import { openStream } from './stream.ts';
import { watchEvents } from './watch-events.ts';

export interface ApiOverHttpLimits {
  retry: RetryLimits;
  /** The longest answer (one page of a list) that is taken into memory. */
  answerBytesMax: number;
  watchLineBytesMax: number;
  /**
   * A watch that is silent for so long has lost its server: bookmarks come about every minute, so this is two of them
   * missed and some time to spare.
   */
  watchIdleMsMax: number;
}

const MiB = 1024 * 1024;

export const apiOverHttpLimits: ApiOverHttpLimits = {
  retry: retryLimitsDefault,
  answerBytesMax: 256 * MiB,
  watchLineBytesMax: 16 * MiB,
  watchIdleMsMax: 150_000,
};

export interface ApiOverHttpDeps {
  transport: HttpTransport;
  clock: Clock;
  random: Random;
  log: Logger;
  limits?: Partial<ApiOverHttpLimits> | undefined;
}

export type Numbers = 'double' | 'exact';

interface JsonOptions {
  signal?: AbortSignal | undefined;
  numbers?: Numbers;
  /** A longer body is refused; never more than the client takes. */
  bytesMax?: number;
}

/** Sends one planned request with retries; what `KubeApi` is built from, and for what it has no verb for. */
export interface Exchange {
  /** The parsed body of a 2xx answer. */
  json(planned: PlannedRequest, options?: JsonOptions): Promise<unknown>;
  /** The body of a 2xx answer as it is. */
  text(planned: PlannedRequest, signal?: AbortSignal): Promise<string>;
}

/** The whole of {@link KubeApi} and {@link PodLogs} over a transport that can only send; both HTTP adapters are this. */
export function kubeApiOverHttp(deps: ApiOverHttpDeps): KubeApi & PodLogs & { exchange: Exchange } {
  const limits = { ...apiOverHttpLimits, ...deps.limits };
  const exchange = exchangeOver(deps, limits);
  const stream = (planned: PlannedRequest, signal: AbortSignal | undefined, idleMsMax?: number) =>
    openStream({ ...deps, limits: limits.retry, planned, signal, idleMsMax });

  return {
    exchange,
    get: async <T extends KubeObject>(...[type, key, options = {}]: Parameters<KubeApi['get']>) =>
      (await exchange.json(requests.getRequest(type, key, options), options)) as T,
    list: async <T extends KubeObject>(...[type, options = {}]: Parameters<KubeApi['list']>) =>
      pageOf<T>(type, options, await exchange.json(requests.listRequest(type, options), options)),
    watch: <T extends KubeObject>(...[type, options]: Parameters<KubeApi['watch']>) => {
      const planned = requests.watchRequest(type, options);
      const context = { ...planned, server: deps.transport.server, lineBytesMax: limits.watchLineBytesMax };
      return watchEvents<T>(stream(planned, options.signal, limits.watchIdleMsMax), context);
    },
    create: async <T extends KubeObject>(...[type, object, options = {}]: Parameters<KubeApi['create']>) =>
      (await exchange.json(requests.createRequest(type, object, options), options)) as T,
    update: async <T extends KubeObject>(...[type, object, options = {}]: Parameters<KubeApi['update']>) =>
      (await exchange.json(requests.updateRequest(type, object, options), options)) as T,
    patch: async <T extends KubeObject>(...[type, key, patch, options = {}]: Parameters<KubeApi['patch']>) =>
      (await exchange.json(requests.patchRequest(type, key, patch, options), options)) as T,
    delete: async (type, key, options = {}) => {
      await exchange.json(requests.deleteRequest(type, key, options), options);
    },
    // A generator: a key that no pod can have is refused where the bytes are waited for.
    stream: async function* (pod, options) {
      yield* stream(podLogRequest(pod, options), options.signal);
    },
  };
}

function exchangeOver(deps: ApiOverHttpDeps, limits: ApiOverHttpLimits): Exchange {
  const { transport, clock } = deps;
  const send = <T>(
    planned: PlannedRequest,
    signal: AbortSignal | undefined,
    read: (answer: HttpAnswer, context: AnswerContext) => Promise<T>,
  ): Promise<T> => {
    const request = { ...planned, signal };
    const attempt = async () => {
      signal?.throwIfAborted();
      const answer = await sendFresh(transport, request);
      const about = { ...planned, server: transport.server, nowMs: clock.now(), bytesMax: limits.answerBytesMax };
      if (isGood(answer)) return await read(answer, about);
      throw await readError(answer, about);
    };
    const { purpose } = planned;
    return withRetry(attempt, { ...deps, limits: limits.retry, isRead: isRead(request), purpose, signal });
  };
  return {
    json: (planned, { signal, numbers = 'double', bytesMax = limits.answerBytesMax } = {}) =>
      send(planned, signal, (answer, context) =>
        readJson(answer, numbers, { ...context, bytesMax: Math.min(bytesMax, context.bytesMax) }),
      ),
    text: (planned, signal) => send(planned, signal, (answer, context) => readText(answer.body, context)),
  };
}

/** Lists of built-in kinds leave kind and apiVersion out of their items; callers get whole objects. */
function pageOf<T extends KubeObject>(
  type: ResourceType,
  { metadataOnly = false }: ListOptions,
  body: unknown,
): ListPage<T> {
  const list = body as { items?: T[] | null; metadata?: ListMetadata };
  if (list.metadata === undefined) throw notAList(type);
  // Of metadata alone the server says the kind of that view, not of the object.
  const items = metadataOnly ? (list.items ?? []).map(({ metadata }) => ({ metadata }) as T) : (list.items ?? []);
  for (const item of items) {
    item.apiVersion ??= apiVersionOf(type);
    item.kind ??= type.kind;
  }
  const { resourceVersion = '', continue: next = '', remainingItemCount: remaining } = list.metadata;
  if (next === '') return { items, resourceVersion };
  return {
    items,
    resourceVersion,
    continue: next,
    ...(remaining === undefined ? {} : { remaining: Number(remaining) }),
  };
}

/** metav1.ListMeta */
interface ListMetadata {
  resourceVersion?: string;
  continue?: string;
  remainingItemCount?: number;
}

function notAList(type: ResourceType): AppError {
  return kubeError('KUBE_BAD_ANSWER', `cannot list ${type.resource}: the answer is not a list`);
}
