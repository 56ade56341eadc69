import { describeError, isAppError } from '@lateen/errors';
import { type Logger, redactText } from '@lateen/kernel';
import { Counter, Histogram, type Registry } from 'prom-client';

/** An answered request. It has no token, no body, and of the query only the action. */
export interface AnsweredRequest {
  readonly method: string;
  readonly route: string;
  readonly name: string;
  readonly action: string;
  /** The user, as the cluster names it; empty when the API does not ask for authentication. */
  readonly user: string;
  /** Address of the client's end of the connection. */
  readonly from: string;
  readonly status: number;
  readonly ms: number;
}

/** Observes every request: one log line for each change, metrics for all of them. */
export interface RestWatcher {
  answered(request: AnsweredRequest): void;
  failed(error: unknown, status: number, where: { readonly method: string; readonly route: string }): void;
}

/** Answers from memory take milliseconds; those that wait for a snapshot take seconds. */
const buckets = [0.005, 0.02, 0.1, 0.5, 2, 10, 60];

/** Errors that the client fully understands; they are not logged as failures. */
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
