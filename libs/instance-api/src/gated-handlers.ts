import { type HostApi, hostApiProblem, hostError } from '@lateen/block-engine';
import type { CallContext } from '@lateen/grpc';
import { apiHeader, parseApi } from './api-header.ts';

/** The handlers of a service, where callers with no version of the API in common reach only those of `openToAll`. */
export function gated<Handlers extends object>(
  all: Handlers,
  openToAll: readonly (keyof Handlers)[],
  api: HostApi,
): Handlers {
  const checked = Object.entries(all).map(([method, handler]) => {
    if (openToAll.includes(method as keyof Handlers)) return [method, handler];
    const call = handler as (request: unknown, context: CallContext) => unknown;
    const check = (request: unknown, context: CallContext) => {
      checkApi(context.header(apiHeader), api);
      return call(request, context);
    };
    return [method, check];
  });
  return Object.fromEntries(checked) as Handlers;
}

function checkApi(sent: string | undefined, api: HostApi): void {
  const manager = parseApi(sent);
  if (manager === undefined) throw hostError('API_VERSION', 'the caller did not name the versions that it supports');
  const problem = hostApiProblem(manager, api);
  if (problem !== undefined) throw problem;
}

/** The answer to a call that has none. */
export async function empty(done: Promise<void>): Promise<Record<string, never>> {
  await done;
  return {};
}
