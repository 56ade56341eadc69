import type { IncomingHttpHeaders } from 'node:http';
import { AppError, isAppError } from '@lateen/errors';
import { durationText, semaphore } from '@lateen/kernel';
import { linkBase, type RestErrorStatus, schemasHeader, toErrorBody } from '@lateen/storage-rest';
import fastify, { type FastifyInstance, type FastifyReply, type FastifyRequest } from 'fastify';
import type { Access } from '../access/access.ts';
import { parseBody } from './read-body.ts';
import type { Endpoint, RestAnswer, RestCall, RestMethod, RestPorts, Route } from './rest-call.ts';
import { restLimits } from './rest-limits.ts';
import type { RestWatcher } from './rest-watcher.ts';

export interface RestAppOptions {
  readonly ports: RestPorts;
  readonly routes: readonly Route[];
  readonly access: Access;
  readonly watcher: RestWatcher;
  /** Aborts pending requests when the server stops. */
  readonly signal: AbortSignal;
}

const methods: readonly RestMethod[] = ['GET', 'POST', 'PUT', 'DELETE'];

/** The routes as a fastify application that does not listen yet. */
export function restApp(options: RestAppOptions): FastifyInstance {
  const app = fastify({
    bodyLimit: restLimits.bodyBytesMax,
    requestTimeout: restLimits.arrivalMs,
    keepAliveTimeout: restLimits.idleMs,
    forceCloseConnections: true,
    // Unknown paths are answered below; fastify must not answer 503 while the server stops.
    return503OnClosing: false,
    routerOptions: { maxParamLength: restLimits.nameLengthMax },
  });
  app.server.maxConnections = restLimits.connectionsMax;
  app.removeAllContentTypeParsers();
  app.addContentTypeParser('*', { parseAs: 'string' }, (_, body, done) => done(null, body));
  const places = semaphore({
    placesMax: restLimits.requestsMax,
    waitingMax: restLimits.waitingMax,
    full: () => new AppError('REST_BUSY', 'too many requests are waiting: try again in a moment', { retry: 'soon' }),
  });
  const serve = serveWith(options, (signal) => places.take(signal));
  for (const { path, methods: known } of options.routes) {
    for (const method of methods) {
      const endpoint = known[method];
      if (endpoint !== undefined) app.route({ method, url: path, handler: (r, reply) => serve(endpoint, r, reply) });
    }
    const others = methods.filter((method) => known[method] === undefined);
    app.route({ method: others, url: path, handler: (_, reply) => reply.code(405).type('text/plain').send('') });
  }
  app.addHook('onRequest', async (request, reply) => {
    const path = withoutSlash(request);
    return path === undefined ? undefined : reply.redirect(path, 301);
  });
  app.setNotFoundHandler((_, reply) => reply.code(404).type('text/plain').send('404 page not found\n'));
  app.setErrorHandler((error, request, reply) => fail(error, request, reply, options));
  return app;
}

type Serve = (endpoint: Endpoint, request: FastifyRequest, reply: FastifyReply) => Promise<FastifyReply>;

/** Authorizes a request, handles it when the semaphore admits it, and reports it. Nothing is thrown: errors are answered. */
function serveWith(options: RestAppOptions, place: (signal: AbortSignal) => Promise<() => void>): Serve {
  const { ports, access, watcher } = options;
  return async (endpoint, request, reply) => {
    const startMs = ports.clock.monotonicMs();
    const signal = AbortSignal.any([options.signal, ports.clock.deadline(restLimits.requestMs)]);
    const call = callOf(request, ports, signal);
    let user = '';
    try {
      const release = await place(signal);
      try {
        requireSynced(ports);
        const needs = typeof endpoint.needs === 'function' ? endpoint.needs(call) : endpoint.needs;
        user = await access.admit(request.headers.authorization, needs, signal);
        await answer(await endpoint.handle(call, ports), call, reply);
      } finally {
        release();
      }
    } catch (error) {
      user ||= refusedUser(error);
      await fail(timeOf(error, options.signal), request, reply, options);
    }
    const { method, ip: from } = request;
    const route = request.routeOptions.url ?? '';
    const { action, name } = call;
    const ms = ports.clock.monotonicMs() - startMs;
    watcher.answered({ method, route, name, action, user, from, status: reply.statusCode, ms });
    return reply;
  };
}

/** Before every cache is filled, an answer would omit existing objects. @throws REST_BUSY */
export function requireSynced({ reader }: Pick<RestPorts, 'reader'>): void {
  const missing = reader.missing();
  if (missing.length === 0) return;
  const text = `this manager has just started and has not read all objects yet: ${missing.join(', ')}`;
  throw new AppError('REST_BUSY', text, { retry: 'soon' });
}

/** The user who was denied. */
function refusedUser(error: unknown): string {
  const { user } = isAppError(error, 'REST_FORBIDDEN') ? error.details : {};
  return typeof user === 'string' ? user : '';
}

function callOf(request: FastifyRequest, ports: RestPorts, signal: AbortSignal): RestCall {
  const { action } = request.query as { action?: unknown };
  return {
    base: baseOf(request.url, request.headers, ports),
    url: urlOf(request, ports),
    name: (request.params as { name?: string }).name ?? '',
    action: typeof action === 'string' ? action : '',
    body: () => parseBody(request.body),
    signal,
  };
}

/** The prefix of links in the answer to this request. */
export function baseOf(url: string, headers: IncomingHttpHeaders, { reader }: Pick<RestPorts, 'reader'>): string {
  const first = (value: string | string[] | undefined) => (Array.isArray(value) ? value[0] : value);
  const texts = Object.fromEntries(Object.entries(headers).map(([name, value]) => [name, first(value)]));
  const managerUrl = reader.get('settings', 'manager-url')?.value ?? '';
  return linkBase({ path: url.split('?', 1)[0] ?? '', headers: texts, managerUrl: managerUrl.replace(/\/+$/, '') });
}

const urlOf = (request: FastifyRequest, ports: RestPorts): string =>
  `${baseOf(request.url, request.headers, ports)}${request.url.split('?', 1)[0]}`;

function answer(sent: RestAnswer, { base }: RestCall, reply: FastifyReply): FastifyReply {
  const { name, value } = schemasHeader(base);
  const { status = 200, contentType = 'application/json', warning, body } = sent;
  reply.code(status).header(name, value);
  // The header with which the API server of Kubernetes warns its clients.
  if (warning !== undefined) reply.header('Warning', `299 - ${JSON.stringify(warning)}`);
  if (body === undefined) return reply.send();
  // Sent as bytes: for a string fastify would add a character set, which Longhorn does not.
  return reply.type(contentType).send(Buffer.from(typeof body === 'string' ? body : JSON.stringify(body)));
}

/** The error for a request that took too long; any other error stays as it is. */
function timeOf(error: unknown, stopped: AbortSignal): unknown {
  if (stopped.aborted) return new AppError('REST_BUSY', 'this manager stops: try again', { retry: 'soon' });
  if (!(error instanceof DOMException) || error.name !== 'TimeoutError') return error;
  const text = `the request took longer than ${durationText(restLimits.requestMs)}; what it asked for may have been done`;
  return new AppError('REST_TIMED_OUT', text, { cause: error, retry: 'later' });
}

/** Answers an error, including fastify's own: a body that is too large, a path that cannot be decoded. */
function fail(error: unknown, request: FastifyRequest, reply: FastifyReply, { ports, watcher }: RestAppOptions) {
  const { status, contentType, body } = toErrorBody(error, urlOf(request, ports), ownStatus(error));
  watcher.failed(error, status, { method: request.method, route: request.routeOptions.url ?? '' });
  return reply.code(status).type(contentType).send(JSON.stringify(body));
}

function ownStatus(error: unknown): RestErrorStatus | undefined {
  const { code, statusCode } = error as { code?: unknown; statusCode?: unknown };
  if (typeof code !== 'string' || !code.startsWith('FST_')) return undefined;
  return statusCode === 413 ? 413 : 400;
}

/** The path without its trailing slash. Undefined for every path without one. */
function withoutSlash({ url }: FastifyRequest): string | undefined {
  const [path = '', query] = url.split('?', 2);
  const shorter = path.replace(/\/+$/, '');
  // Not when it begins with two slashes: a redirect to it would lead to another host.
  if (shorter === '' || shorter === path || shorter.startsWith('//')) return undefined;
  return query === undefined ? shorter : `${shorter}?${query}`;
}
