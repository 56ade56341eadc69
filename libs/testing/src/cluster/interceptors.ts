import type { AppError } from '@lateen/errors';
import { type KubeErrorCode, kubeError, type ObjectKey, type ResourceType } from '@lateen/kube';
import { deniedByWebhook } from './api-error.ts';
import { typeKeyOf } from './store.ts';

export type Verb = 'get' | 'list' | 'watch' | 'create' | 'update' | 'patch' | 'delete';

/** One request as the fake API server saw it. */
export interface ApiCall {
  readonly verb: Verb;
  readonly type: ResourceType;
  /** For `create`: namespace and name; the name is "" when the server generates it. */
  readonly key: Partial<ObjectKey>;
  readonly subresource?: string | undefined;
  /** The object or patch that was sent. */
  readonly body?: unknown;
  readonly options: object;
  readonly atMs: number;
}

/**
 * Wraps a call. If it throws before `next()`, nothing has happened; if it throws afterwards, the write has happened
 * but the caller does not know; if it awaits something, the call is slow.
 */
export type Interceptor = (call: ApiCall, next: () => Promise<unknown>) => Promise<unknown>;

/** Selects calls: all of a kind, or those that a condition matches. */
export type CallMatch = ResourceType | ((call: ApiCall) => boolean);

export function matchesCall(match: CallMatch, call: ApiCall): boolean {
  return typeof match === 'function' ? match(call) : typeKeyOf(match) === typeKeyOf(call.type);
}

export type InjectedError = AppError | KubeErrorCode;

export function injected(error: InjectedError): AppError {
  return typeof error === 'string' ? kubeError(error, `injected by the test: ${error}`) : error;
}

/** A webhook that denies all these writes, dry runs included. */
export function denying(match: CallMatch, webhook: string, why: string, httpStatus = 403): Interceptor {
  return async (call, next) => {
    const isWrite = call.verb === 'create' || call.verb === 'update' || call.verb === 'patch';
    if (isWrite && matchesCall(match, call)) throw deniedByWebhook(webhook, why, httpStatus);
    return next();
  };
}

/** Fails the first `times` calls that match. */
export function failing(verb: Verb, match: CallMatch, error: InjectedError, times: number): Interceptor {
  let left = times;
  return async (call, next) => {
    if (left > 0 && call.verb === verb && matchesCall(match, call)) {
      left -= 1;
      throw injected(error);
    }
    return next();
  };
}
