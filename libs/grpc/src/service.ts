import type {
  handleBidiStreamingCall,
  handleClientStreamingCall,
  handleServerStreamingCall,
  handleUnaryCall,
  Metadata,
  ServerDuplexStream,
  ServerReadableStream,
  ServerUnaryCall,
  ServerWritableStream,
  ServiceDefinition,
  sendUnaryData,
  UntypedHandleCall,
  UntypedServiceImplementation,
} from '@grpc/grpc-js';
import { status } from '@grpc/grpc-js';
import type { Clock, Logger } from '@lateen/kernel';
import type { CallContext, Collecting, Conversing, Streaming, Unary } from './call-context.ts';
import { type IncomingCall, signalOf } from './call-signal.ts';
import { InFlight, type InFlightKey } from './in-flight.ts';
import { redacted } from './redact.ts';
import { requestsOf } from './requests-of.ts';
import { toWireError, type WireError } from './status-codes.ts';
import { withWholeError } from './whole-error.ts';
import { writeAll } from './write-all.ts';

/** The promise form of a generated `XServer` interface. A method that is left out answers UNIMPLEMENTED. */
export type ServiceHandlers<Server> = {
  [Method in keyof Server as string extends Method ? never : Method]?: Server[Method] extends handleUnaryCall<
    infer Request,
    infer Response
  >
    ? Unary<Request, Response>
    : Server[Method] extends handleServerStreamingCall<infer Request, infer Response>
      ? Streaming<Request, Response>
      : Server[Method] extends handleClientStreamingCall<infer Request, infer Response>
        ? Collecting<Request, Response>
        : Server[Method] extends handleBidiStreamingCall<infer Request, infer Response>
          ? Conversing<Request, Response>
          : never;
};

export interface Service {
  definition: ServiceDefinition;
  implementation: UntypedServiceImplementation;
}

export interface ServiceOptions {
  log: Logger;
  clock: Clock;
  /** Aborts when the server is forced to stop. */
  stopping: AbortSignal;
  /** What a request works on; nothing by default. Throwing here answers the call, so IDs may be validated. */
  keysOf?: (method: string, request: unknown) => readonly InFlightKey[];
  inFlight?: InFlight;
  /** How long a call waits for another one on the same key before it is answered ABORTED. */
  busyWaitMs?: number;
  /** Bound on a call with one answer whose caller gave no deadline. Streams have none: some last for hours. */
  callMsMax?: number;
  /**
   * `statuses` for callers of others, who know gRPC alone. `whole` sends code, retry fate and next step of an AppError too, and
   * our client throws the same error again. A function is for a protocol with a form of its own for errors.
   */
  errors?: 'statuses' | 'whole' | ((error: unknown) => WireError & { metadata?: Metadata });
}

/** Longer than a mount, an unmount or a reflink; shorter than the first backoff after a failure hurts. */
const busyWaitMsDefault = 2_000;

/** Kubelet and the sidecars give up after 2 to 3 minutes; a caller without a deadline is not waited for longer than this. */
const callMsMaxDefault = 10 * 60_000;

/** What the four forms of a call have in common, seen by grpc-js. */
type AnyCall = ServerUnaryCall<unknown, unknown> &
  ServerWritableStream<unknown, unknown> &
  ServerReadableStream<unknown, unknown> &
  ServerDuplexStream<unknown, unknown>;

/** Binds promise handlers to a generated service: logging, deadlines, one call per key, errors to statuses. */
export function makeService<Server>(
  definition: ServiceDefinition,
  handlers: ServiceHandlers<Server>,
  options: ServiceOptions,
): Service {
  const all = { ...options, inFlight: options.inFlight ?? new InFlight() };
  const implementation: UntypedServiceImplementation = {};
  for (const [method, handler] of Object.entries(handlers) as [string, (...given: never[]) => unknown][]) {
    const { requestStream = false, responseStream = false } = definition[method] ?? {};
    const bind = responseStream ? answerWithStream : answerOnce;
    implementation[method] = bind(method, handler as Handler, requestStream, all);
  }
  return { definition, implementation };
}

/** A handler of any form, given the request or the stream of requests. */
type Handler = (given: unknown, context: CallContext) => Promise<unknown> & AsyncIterable<unknown>;
type AllOptions = ServiceOptions & { inFlight: InFlight };

function answerWithStream(method: string, handler: Handler, requestStream: boolean, all: AllOptions) {
  return ((call: AnyCall) => {
    const run = async (context: CallContext) =>
      writeAll(call, handler(givenBy(call, requestStream, context), context), context.signal);
    void answer(method, call, undefined, run, all).then(
      () => call.end(),
      (error: unknown) => call.emit('error', wireOf(error, all)),
    );
  }) as UntypedHandleCall;
}

/** A stream of requests has no deadline of ours: it lasts as long as its sender has something to send. */
function answerOnce(method: string, handler: Handler, requestStream: boolean, all: AllOptions) {
  const callMsMax = requestStream ? undefined : (all.callMsMax ?? callMsMaxDefault);
  return ((call: AnyCall, reply: sendUnaryData<unknown>) => {
    const run = (context: CallContext) => handler(givenBy(call, requestStream, context), context);
    void answer(method, call, callMsMax, run, all).then(
      (response) => reply(null, response),
      (error: unknown) => reply(wireOf(error, all)),
    );
  }) as UntypedHandleCall;
}

const givenBy = (call: AnyCall, requestStream: boolean, { signal }: CallContext): unknown =>
  requestStream ? requestsOf(call, signal) : call.request;

function wireOf(error: unknown, { errors }: ServiceOptions): WireError & { metadata?: Metadata } {
  if (typeof errors === 'function') return errors(error);
  return errors === 'whole' ? withWholeError(error) : toWireError(error);
}

async function answer<Response>(
  method: string,
  call: IncomingCall & { request?: unknown; metadata: Metadata },
  callMsMax: number | undefined,
  run: (context: CallContext) => Promise<Response>,
  options: AllOptions,
): Promise<Response> {
  const log = options.log.child({ method });
  const startedMs = options.clock.monotonicMs();
  const tookMs = () => Math.round(options.clock.monotonicMs() - startedMs);
  log.debug({ request: redacted(call.request) }, 'call');
  const { signal, release } = signalOf(call, callMsMax, options);
  try {
    const keys = options.keysOf?.(method, call.request) ?? [];
    const waitMs = options.busyWaitMs ?? busyWaitMsDefault;
    using _held = await options.inFlight.enterWithin(keys, { waitMs, clock: options.clock, signal });
    const header = (name: string) => call.metadata.get(name)[0]?.toString();
    const response = await run({ signal, log, header });
    log.debug({ tookMs: tookMs() }, 'answered');
    return response;
  } catch (error) {
    const { code, details } = wireOf(error, options);
    log.warn({ status: status[code], details, tookMs: tookMs() }, 'call failed');
    throw error;
  } finally {
    release();
  }
}
