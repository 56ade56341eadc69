import { describeError, isAppError } from '@lateen/errors';
import { type Logger, redactText } from '@lateen/kernel';
import { Counter, Histogram, type Registry } from 'prom-client';

/** A request that was answered. No token, no body, no query but the action. */
export interface AnsweredRequest {
  readonly method: string;
  readonly route: string;
  readonly name: string;
  readonly action: string;
  /** Who asked, as the cluster knows them; empty where nobody is asked for a name. */
  readonly user: string;
  /** Address of the other end of the connection. */
  readonly from: string;
  readonly status: number;
  readonly ms: number;
}

/** Sees every request: one line for each change, series for all of them. */
export interface RestWatcher {
  answered(request: AnsweredRequest): void;
  failed(error: unknown, status: number, where: { readonly method: string; readonly route: string }): void;
}

/** Answers from memory take milliseconds; those that wait for a snapshot take seconds. */
const buckets = [0.005, 0.02, 0.1, 0.5, 2, 10, 60];

/** Errors that say all there is to know to the one who asked. */
const ordinary = ['REST_REFUSED', 'REST_NOT_FOUND', 'REST_UNAUTHORIZED', 'REST_FORBIDDEN', 'KUBE_NOT_FOUND'];

export function restWatcher(log: Logger, registry: Registry): RestWatcher {
  const registers = [registry];
  const requests = new Counter({
    name: 'lateen_storage_rest_requests_total',
    help: 'Requests to the REST API of the volume manager by result',
    labelNames: ['method', 'route', 'status'],
    registers,
  });
  const time = new Histogram({
    name: 'lateen_storage_rest_request_duration_seconds',
    help: 'From the arrival of a request to its answer',
    labelNames: ['method', 'route'],
    buckets,
    registers,
  });
  return {
    answered: (request) => {
      const { method, route, status, ms } = request;
      requests.inc({ method, route, status: String(status) });
      time.observe({ method, route }, ms / 1000);
      if (method !== 'GET') log.info({ ...request, ms: Math.round(ms) }, 'a client asked for a change');
    },
    failed: (error, status, where) => {
      if (ordinary.some((code) => isAppError(error, code))) return;
      log.warn({ ...where, status, error: redactText(describeError(error)) }, 'a request failed');
    },
  };
}
