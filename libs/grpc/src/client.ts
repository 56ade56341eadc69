import type {
  Client,
  ClientReadableStream,
  ClientWritableStream,
  handleClientStreamingCall,
  handleServerStreamingCall,
  handleUnaryCall,
  ServiceDefinition,
  ServiceError,
} from '@grpc/grpc-js';
import { Metadata, status } from '@grpc/grpc-js';
import { AppError, isAppError } from '@lateen/errors';
import { collectCall, writing } from './collect-call.ts';
import { streamCall } from './stream-call.ts';
import { unaryCall } from './unary-call.ts';
import type { UnaryPeer } from './unary-peer.ts';
import { wholeErrorOf } from './whole-error.ts';

/** The promise form of a generated service, seen by a caller. Each call rejects with an AppError named like its status. */
export type ServiceClient<Server> = {
  [Method in keyof Server as string extends Method ? never : Method]: Server[Method] extends handleUnaryCall<
    infer Request,
    infer Response
  >
    ? (request: Request, options: CallOptions) => Promise<Response>
    : Server[Method] extends handleServerStreamingCall<infer Request, infer Response>
      ? (request: Request, options: CallOptions) => AsyncIterable<Response>
      : Server[Method] extends handleClientStreamingCall<infer Request, infer Response>
        ? (requests: AsyncIterable<Request>, options: CallOptions) => Promise<Response>
        : never;
};

export interface CallOptions {
  /** Cancels the call. */
  signal: AbortSignal;
  /** Epoch ms; none by default. */
  deadlineMs?: number;
}

/** Sent with every call; a handler reads them with `header` of its context. */
export type CallHeaders = Readonly<Record<string, string>>;

/** Begins a call of one method. */
export type Begin = (
  request: unknown,
  options: { deadline?: number },
  reply?: (error: ServiceError | null, response: unknown) => void,
) => ClientReadableStream<unknown>;

/** Begins a call of a method that takes a stream of requests. Its requests are written by {@link writing}. */
export type BeginCollecting = (
  options: { deadline?: number },
  reply: (error: ServiceError | null, response: unknown) => void,
) => ClientWritableStream<unknown>;

/** A method of a generated client. */
type Start = (
  request: unknown,
  metadata: Metadata,
  options: { deadline?: number },
  reply?: (error: ServiceError | null, response: unknown) => void,
) => ClientReadableStream<unknown>;

/** All methods of a generated client as promises and streams. Dispose to close its connection. */
/** @param peer makes the calls with one answer that have no deadline, in place of grpc-js */
export function clientOf<Server>(
  client: Client,
  service: ServiceDefinition,
  headers: CallHeaders,
  peer?: UnaryPeer,
): ServiceClient<Server> & Disposable {
  const methods = Object.entries(service).map(([method, definition]) => {
    const { requestStream, responseStream } = definition;
    const start = (client as unknown as Record<string, Start | undefined>)[method]?.bind(client);
    if (start === undefined) throw new AppError('UNIMPLEMENTED', `there is no method ${method}`);
    const begin: Begin = (request, options, reply) => start(request, metadataOf(headers), options, reply);
    const fails = (error: ServiceError) => toAppError(method, error);
    if (requestStream && !responseStream) {
      const { path, requestSerialize, responseDeserialize } = definition;
      const open: BeginCollecting = (options, reply) =>
        client.makeClientStreamRequest(
          path,
          writing(requestSerialize),
          responseDeserialize,
          metadataOf(headers),
          options,
          reply,
        );
      const send = (requests: AsyncIterable<unknown>, options: CallOptions) =>
        collectCall(open, requests, options, fails);
      return [method, send] as const;
    }
    const call = responseStream
      ? (request: unknown, options: CallOptions) => streamCall(begin, request, options, fails)
      : (request: unknown, options: CallOptions) =>
          peer === undefined || options.deadlineMs !== undefined
            ? unaryCall(begin, request, options, fails)
            : shortCall(peer.call(definition, request, { headers, signal: options.signal }), options.signal, fails);
    return [method, call] as const;
  });
  const close = { [Symbol.dispose]: () => client.close() };
  return Object.assign(Object.fromEntries(methods) as ServiceClient<Server>, close);
}

async function shortCall(
  running: Promise<unknown>,
  signal: AbortSignal,
  fails: (error: ServiceError) => unknown,
): Promise<unknown> {
  try {
    return await running;
  } catch (error) {
    throw signal.aborted ? signal.reason : fails(error as ServiceError);
  }
}

function metadataOf(headers: CallHeaders): Metadata {
  const metadata = new Metadata();
  for (const [name, value] of Object.entries(headers)) metadata.set(name, value);
  return metadata;
}

function toAppError(method: string, error: ServiceError): AppError {
  const whole = wholeErrorOf(error);
  if (whole !== undefined) return whole;
  const code = status[error.code] ?? 'UNKNOWN';
  const retry = code === 'ABORTED' || code === 'UNAVAILABLE' ? 'soon' : 'never';
  return new AppError(code, `${method}: ${error.details}`, { retry, cause: error });
}

/** What the other side sent in a trailer of this name (`-bin`) with the status that became `error`, an error of a {@link ServiceClient}. */
export function trailerOf(error: unknown, name: string): Uint8Array | undefined {
  if (!isAppError(error)) return undefined;
  const [sent] = (error.cause as Partial<ServiceError> | undefined)?.metadata?.get(name) ?? [];
  return Buffer.isBuffer(sent) ? sent : undefined;
}
