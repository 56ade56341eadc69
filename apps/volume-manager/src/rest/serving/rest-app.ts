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
  /** Aborts what is under way when the server stops. */
  readonly signal: AbortSignal;
}

const methods: readonly RestMethod[] = ['GET', 'POST', 'PUT', 'DELETE'];

/** The routes as an application of fastify, which does not listen yet. */
export function restApp(options: RestAppOptions): FastifyInstance {
  const app = fastify({
    bodyLimit: restLimits.bodyBytesMax,
    requestTimeout: restLimits.arrivalMs,
    keepAliveTimeout: restLimits.idleMs,
    forceCloseConnections: true,
    // Unknown paths are answered below, and a stop is not announced on each answer.
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

/** Lets a request in, works on it when there is a place, and tells of it. Nothing is thrown: errors are answers. */
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

/** Before every first list is in, an answer would leave out what is there. @throws REST_BUSY */
export function requireSynced({ reader }: Pick<RestPorts, 'reader'>): void {
  const missing = reader.missing();
  if (missing.length === 0) return;
  const text = `this manager has just started and has not read all objects yet: ${missing.join(', ')}`;
  throw new AppError('REST_BUSY', text, { retry: 'soon' });
}

/** Who was told that they may not. */
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

/** Where links of an answer to this request begin. */
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
  // As the API server of Kubernetes warns its clients.
  if (warning !== undefined) reply.header('Warning', `299 - ${JSON.stringify(warning)}`);
  if (body === undefined) return reply.send();
  // As bytes: behind a text fastify would name a character set, which Longhorn does not.
  return reply.type(contentType).send(Buffer.from(typeof body === 'string' ? body : JSON.stringify(body)));
}

/** Words for a request that took too long; whatever else was thrown stays as it is. */
function timeOf(error: unknown, stopped: AbortSignal): unknown {
  if (stopped.aborted) return new AppError('REST_BUSY', 'this manager stops: try again', { retry: 'soon' });
  if (!(error instanceof DOMException) || error.name !== 'TimeoutError') return error;
  const text = `the request took longer than ${durationText(restLimits.requestMs)}; what it asked for may have been done`;
  return new AppError('REST_TIMED_OUT', text, { cause: error, retry: 'later' });
}

/** Answers an error, also one of fastify itself: a body that is too large, a path that cannot be read. */
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

/** Where a path with a slash at its end leads to: the one without. Undefined for every other path. */
function withoutSlash({ url }: FastifyRequest): string | undefined {
  const [path = '', query] = url.split('?', 2);
  const shorter = path.replace(/\/+$/, '');
  // Not with two slashes at the beginning: that would be the name of another host.
  if (shorter === '' || shorter === path || shorter.startsWith('//')) return undefined;
  return query === undefined ? shorter : `${shorter}?${query}`;
}
