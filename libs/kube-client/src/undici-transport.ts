import { AppError } from '@lateen/errors';
import { connectionError, type HttpAnswer, type HttpRequest, type HttpTransport } from '@lateen/kube';
import type { Dispatcher } from 'undici';
import type { AgentPool } from './agent-pool.ts';
import type { CredentialSource, Credentials } from './credentials.ts';

export interface TransportLimits {
  /** The API server itself ends a request after 60 s. */
  headersTimeoutMs: number;
  /** Between two chunks of an answer that has an end. */
  bodyTimeoutMs: number;
}

export const transportLimitsDefault: TransportLimits = { headersTimeoutMs: 65_000, bodyTimeoutMs: 60_000 };

export interface UndiciTransportDeps {
  server: string;
  credentials: CredentialSource;
  pool: AgentPool;
  userAgent: string;
  limits: TransportLimits;
}

/** {@link HttpTransport} on a shared undici pool. */
export function undiciTransport(deps: UndiciTransportDeps): HttpTransport {
  const { server, credentials, pool, limits } = deps;
  const { origin, pathname } = new URL(server);
  // A server address may have a path (a proxy in front of several clusters).
  const prefix = pathname === '/' ? '' : pathname;
  const usedBy = new WeakMap<HttpAnswer, Credentials>();

  return {
    server,
    send: async (request) => {
      const identity = await credentials.current();
      const { agent, done } = connectionFor(pool, identity, request, server);
      try {
        const answer = await agent.request({
          origin,
          path: prefix + request.path,
          method: request.method,
          headers: { 'user-agent': deps.userAgent, ...request.headers, ...identity.headers },
          body: request.body ?? null,
          headersTimeout: limits.headersTimeoutMs,
          bodyTimeout: request.streaming ? 0 : limits.bodyTimeoutMs,
          ...(request.signal === undefined ? {} : { signal: request.signal }),
        });
        const wrapped = wrap(
          answer,
          bodyOf(answer.body, done, (error) => failure(error, request, server)),
        );
        usedBy.set(wrapped, identity);
        return wrapped;
      } catch (error) {
        done();
        throw failure(error, request, server);
      }
    },
    refreshCredentials: async (answer) => {
      const used = usedBy.get(answer);
      return used === undefined ? false : credentials.refresh(used);
    },
  };
}

function connectionFor(pool: AgentPool, identity: Credentials, request: HttpRequest, server: string) {
  try {
    return pool.use(identity.tls);
  } catch (error) {
    throw failure(error, request, server);
  }
}

function wrap(answer: Dispatcher.ResponseData, body: AsyncIterable<Uint8Array>): HttpAnswer {
  return {
    status: answer.statusCode,
    header: (name) => {
      const value = answer.headers[name];
      return Array.isArray(value) ? value[0] : value;
    },
    body,
  };
}

async function* bodyOf(
  body: AsyncIterable<Uint8Array>,
  done: () => void,
  translate: (error: unknown) => unknown,
): AsyncGenerator<Uint8Array> {
  try {
    yield* body;
  } catch (error) {
    throw translate(error);
  } finally {
    done();
  }
}

function failure(error: unknown, request: HttpRequest, server: string): unknown {
  if (request.signal?.aborted) return request.signal.reason;
  if (error instanceof Error && 'code' in error && closedCodes.has(String(error.code))) {
    const text = `cannot ${request.purpose}: the client for ${server} was closed`;
    return new AppError('KUBE_UNAVAILABLE', text, { retry: 'never', cause: error });
  }
  return connectionError(error, request, server);
}

const closedCodes = new Set(['UND_ERR_DESTROYED', 'UND_ERR_CLOSED']);
