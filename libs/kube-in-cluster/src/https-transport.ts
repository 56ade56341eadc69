import type { IncomingMessage } from 'node:http';
import { type Agent, request as httpsRequest } from 'node:https';
import { connectionError, type HttpAnswer, type HttpRequest, type HttpTransport } from '@lateen/kube';
import type { Identity, IdentitySource } from './server-identity.ts';

export interface HttpsTransportLimits {
  connectTimeoutMs: number;
  /** The API server itself ends a request after 60 s. */
  headersTimeoutMs: number;
  /** Between two chunks of an answer that has an end. */
  bodyTimeoutMs: number;
}

export interface HttpsTransportDeps {
  host: string;
  port: number;
  identity: IdentitySource;
  agent: Agent;
  userAgent: string;
  limits: HttpsTransportLimits;
}

/** {@link HttpTransport} on node:https and one keep-alive agent. */
export function httpsTransport(deps: HttpsTransportDeps): HttpTransport {
  const { host, port, identity } = deps;
  const server = `https://${host.includes(':') ? `[${host}]` : host}:${port}`;
  const usedBy = new WeakMap<HttpAnswer, Identity>();
  const translate = (error: unknown, request: HttpRequest): unknown =>
    request.signal?.aborted ? request.signal.reason : connectionError(error, request, server);

  return {
    server,
    send: async (request) => {
      const used = await identity.current();
      request.signal?.throwIfAborted();
      try {
        const message = await exchange(request, used, deps);
        const answer = {
          status: message.statusCode ?? 0,
          header: (name: string) => message.headers[name]?.toString(),
          body: translated(message, (error) => translate(error, request)),
        };
        usedBy.set(answer, used);
        return answer;
      } catch (error) {
        throw translate(error, request);
      }
    },
    refreshCredentials: async (answer) => {
      const used = usedBy.get(answer);
      return used !== undefined && identity.refresh(used);
    },
  };
}

/** Resolves with the headers. Whatever goes wrong destroys the socket, with an error that has a code. */
function exchange(request: HttpRequest, identity: Identity, deps: HttpsTransportDeps): Promise<IncomingMessage> {
  const { limits } = deps;
  const { token, ...tls } = identity;
  const headers = { 'user-agent': deps.userAgent, ...request.headers, ...bearer(token), ...length(request.body) };
  return new Promise((resolve, reject) => {
    const outgoing = httpsRequest({
      host: deps.host,
      port: deps.port,
      agent: deps.agent,
      method: request.method,
      path: request.path,
      headers,
      timeout: limits.connectTimeoutMs,
      ...tls,
      ...(request.signal === undefined ? {} : { signal: request.signal }),
    });
    let waitingFor = 'CONNECT_TIMEOUT';
    outgoing.on('timeout', () => outgoing.destroy(Object.assign(new Error('time limit'), { code: waitingFor })));
    outgoing.once('socket', (socket) => {
      const connected = () => {
        waitingFor = 'HEADERS_TIMEOUT';
        outgoing.setTimeout(limits.headersTimeoutMs);
      };
      if (outgoing.reusedSocket) connected();
      else socket.once('secureConnect', connected);
    });
    outgoing.once('response', (message) => {
      waitingFor = 'BODY_TIMEOUT';
      // A timeout destroys the request, and with it the message, whose reader then gets the error.
      outgoing.setTimeout(request.streaming ? 0 : limits.bodyTimeoutMs);
      resolve(message);
    });
    outgoing.once('error', reject);
    outgoing.end(request.body);
  });
}

const bearer = (token: string | undefined) => (token === undefined ? {} : { authorization: `Bearer ${token}` });
const length = (body: string | undefined) => (body === undefined ? {} : { 'content-length': Buffer.byteLength(body) });

async function* translated(
  message: IncomingMessage,
  translate: (error: unknown) => unknown,
): AsyncGenerator<Uint8Array> {
  try {
    yield* message;
  } catch (error) {
    throw translate(error);
  }
}
