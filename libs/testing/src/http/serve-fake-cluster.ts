import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { createServer as createTlsServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import { unknownPath } from '../cluster/api-error.ts';
import type { FakeCluster } from '../cluster/fake-cluster.ts';
import { knownTypes } from '../cluster/known-types.ts';
import { answerRequest } from './answer-request.ts';
import { discoveryAnswer } from './discovery-answer.ts';
import { requestTarget } from './request-target.ts';
import { serveWatch } from './serve-watch.ts';
import { statusAnswer } from './status-answer.ts';

export interface ServedCluster {
  /** `http://127.0.0.1:<port>`, or https. */
  url: string;
  port: number;
  /** Closes all connections and resolves when the port is free. */
  close(): Promise<void>;
}

/** The limit of the API server: 3 MiB. */
const bodyBytesMax = 3 * 1024 * 1024;

export interface ServeFakeClusterOptions {
  /** PEM texts; plain HTTP without them. */
  tls?: { cert: string; key: string };
  /** Default: a free one. */
  port?: number;
}

/** Serves the fake cluster over HTTP on loopback, for adapters that need a URL. */
export async function serveFakeCluster(
  cluster: FakeCluster,
  options: ServeFakeClusterOptions = {},
): Promise<ServedCluster> {
  const answer = (request: IncomingMessage, response: ServerResponse) => {
    const gone = new AbortController();
    response.on('close', () => gone.abort(new Error('the client has gone')));
    serve(cluster, request, response, gone.signal).catch((error: unknown) => {
      if (response.headersSent) response.destroy();
      else sendError(response, error);
    });
  };
  const server = options.tls === undefined ? createServer(answer) : createTlsServer(options.tls, answer);
  server.listen(options.port ?? 0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  return {
    url: `${options.tls === undefined ? 'http' : 'https'}://127.0.0.1:${port}`,
    port,
    close: async () => {
      const closed = once(server, 'close');
      server.close();
      server.closeAllConnections();
      await closed;
    },
  };
}

async function serve(
  cluster: FakeCluster,
  request: IncomingMessage,
  response: ServerResponse,
  signal: AbortSignal,
): Promise<void> {
  const url = new URL(request.url ?? '/', 'http://fake');
  const method = request.method ?? 'GET';
  if (url.pathname === '/readyz' || url.pathname === '/livez') {
    response.writeHead(200, { 'content-type': 'text/plain' }).end('ok');
    return;
  }
  if (url.pathname === '/version') return send(response, 200, { major: '1', minor: '34', gitVersion: 'v1.34.4' });
  const types = knownTypes(cluster);
  if (url.pathname === '/api' || url.pathname === '/apis') {
    return send(response, 200, discoveryAnswer(url.pathname, types));
  }
  const target = requestTarget(url.pathname, types);
  if (target === undefined) throw unknownPath();
  const query = url.searchParams;
  if (method === 'GET' && ['1', 'true'].includes(query.get('watch') ?? '')) {
    return serveWatch(cluster, target, query, response, signal);
  }
  if (method === 'GET' && target.subresource === 'log') return sendLog(cluster, target, query, response, signal);
  const contentType = (request.headers['content-type'] ?? '').split(';')[0] ?? '';
  const body = await readBody(request);
  const { accept = '' } = request.headers;
  const answer = await answerRequest(cluster, { method, target, query, contentType, accept, body, signal });
  send(response, answer.httpStatus, answer.body);
}

async function sendLog(
  cluster: FakeCluster,
  { namespace, name = '' }: { namespace: string | undefined; name: string | undefined },
  query: URLSearchParams,
  response: ServerResponse,
  signal: AbortSignal,
): Promise<void> {
  const [container, tailLines, sinceTime] = ['container', 'tailLines', 'sinceTime'].map((name) => query.get(name));
  const options = {
    signal,
    follow: query.get('follow') === 'true',
    timestamps: query.get('timestamps') === 'true',
    ...(container ? { container } : {}),
    ...(tailLines ? { tailLines: Number(tailLines) } : {}),
    ...(sinceTime ? { sinceTime } : {}),
  };
  for await (const chunk of cluster.podLogs.stream({ namespace, name }, options)) {
    if (!response.headersSent) response.writeHead(200, { 'content-type': 'text/plain' });
    response.write(chunk);
  }
  response.end();
}

async function readBody(request: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = [];
  let bytes = 0;
  for await (const chunk of request as AsyncIterable<Buffer>) {
    bytes += chunk.length;
    if (bytes > bodyBytesMax) throw new Error(`the body is larger than ${bodyBytesMax} bytes`);
    chunks.push(chunk);
  }
  return Buffer.concat(chunks).toString('utf8');
}

function send(response: ServerResponse, httpStatus: number, body: unknown): void {
  response.writeHead(httpStatus, { 'content-type': 'application/json' }).end(JSON.stringify(body));
}

function sendError(response: ServerResponse, error: unknown): void {
  const { httpStatus, headers, body } = statusAnswer(error);
  response.writeHead(httpStatus, { 'content-type': 'application/json', ...headers }).end(JSON.stringify(body));
}
