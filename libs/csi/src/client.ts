import type { handleUnaryCall } from '@grpc/grpc-js';
import {
  type ChannelCredentials,
  type Client,
  type ClientOptions,
  credentials,
  Metadata,
  type ServiceDefinition,
  type ServiceError,
  status,
} from '@grpc/grpc-js';
import { AppError } from '@lateen/errors';
import { socketPathOf } from './unix-endpoint.ts';

/** The promise form of a generated service, seen by a caller. Each call rejects with an AppError named like its status. */
export type ServiceClient<Server> = {
  [Method in keyof Server as string extends Method ? never : Method]: Server[Method] extends handleUnaryCall<
    infer Request,
    infer Response
  >
    ? (request: Request, options: CallOptions) => Promise<Response>
    : never;
};

export interface CallOptions {
  /** Cancels the call. */
  signal: AbortSignal;
  /** Epoch ms; none by default. */
  deadlineMs?: number;
}

interface GeneratedClient {
  new (address: string, secure: ChannelCredentials, options: ClientOptions): Client;
  service: ServiceDefinition;
}

interface Callable {
  [method: string]: (
    request: unknown,
    metadata: Metadata,
    options: { deadline?: number },
    reply: (error: ServiceError | null, response: unknown) => void,
  ) => { cancel(): void };
}

/**
 * Connects to a driver's socket (lazily: the first call connects). Dispose to close.
 * @param makeClient a generated client class, such as `csi.ControllerClient`.
 */
export function connectUnix<Server>(endpoint: string, makeClient: GeneratedClient): ServiceClient<Server> & Disposable {
  const address = `unix:${socketPathOf(endpoint)}`;
  const client = new makeClient(address, credentials.createInsecure(), {});
  const methods = Object.keys(makeClient.service).map((method) => [
    method,
    (request: unknown, options: CallOptions) => unary(client, method, request, options),
  ]);
  const close = { [Symbol.dispose]: () => client.close() };
  return Object.assign(Object.fromEntries(methods) as ServiceClient<Server>, close);
}

function unary(client: Client, method: string, request: unknown, options: CallOptions): Promise<unknown> {
  options.signal.throwIfAborted();
  return new Promise((resolve, reject) => {
    const deadline = options.deadlineMs === undefined ? {} : { deadline: options.deadlineMs };
    const start = (client as unknown as Callable)[method];
    if (start === undefined) return reject(new AppError('UNIMPLEMENTED', `there is no method ${method}`));
    const running = start.call(client, request, new Metadata(), deadline, (error, response) => {
      options.signal.removeEventListener('abort', cancel);
      if (error === null) resolve(response);
      else reject(options.signal.aborted ? options.signal.reason : toAppError(method, error));
    });
    const cancel = () => running.cancel();
    options.signal.addEventListener('abort', cancel, { once: true });
  });
}

function toAppError(method: string, error: ServiceError): AppError {
  const code = status[error.code] ?? 'UNKNOWN';
  const retry = code === 'ABORTED' || code === 'UNAVAILABLE' ? 'soon' : 'never';
  return new AppError(code, `${method}: ${error.details}`, { retry, cause: error });
}
