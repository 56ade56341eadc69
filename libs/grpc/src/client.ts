import type {
  Client,
  ClientReadableStream,
  handleServerStreamingCall,
  handleUnaryCall,
  Metadata,
  ServiceDefinition,
  ServiceError,
} from '@grpc/grpc-js';
import { status } from '@grpc/grpc-js';
import { AppError } from '@lateen/errors';
import { streamCall } from './stream-call.ts';
import { unaryCall } from './unary-call.ts';
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
      : never;
};

export interface CallOptions {
  /** Cancels the call. */
  signal: AbortSignal;
  /** Epoch ms; none by default. */
  deadlineMs?: number;
}

/** A method of a generated client. */
export type Start = (
  request: unknown,
  metadata: Metadata,
  options: { deadline?: number },
  reply?: (error: ServiceError | null, response: unknown) => void,
) => ClientReadableStream<unknown>;

/** All methods of a generated client as promises and streams. Dispose to close its connection. */
export function clientOf<Server>(client: Client, service: ServiceDefinition): ServiceClient<Server> & Disposable {
  const methods = Object.entries(service).map(([method, { responseStream }]) => {
    const start = (client as unknown as Record<string, Start | undefined>)[method]?.bind(client);
    if (start === undefined) throw new AppError('UNIMPLEMENTED', `there is no method ${method}`);
    const fails = (error: ServiceError) => toAppError(method, error);
    const call = responseStream
      ? (request: unknown, options: CallOptions) => streamCall(start, request, options, fails)
      : (request: unknown, options: CallOptions) => unaryCall(start, request, options, fails);
    return [method, call] as const;
  });
  const close = { [Symbol.dispose]: () => client.close() };
  return Object.assign(Object.fromEntries(methods) as ServiceClient<Server>, close);
}

function toAppError(method: string, error: ServiceError): AppError {
  const whole = wholeErrorOf(error);
  if (whole !== undefined) return whole;
  const code = status[error.code] ?? 'UNKNOWN';
  const retry = code === 'ABORTED' || code === 'UNAVAILABLE' ? 'soon' : 'never';
  return new AppError(code, `${method}: ${error.details}`, { retry, cause: error });
}
