import {
  type handleUnaryCall,
  type ServerUnaryCall,
  type ServiceDefinition,
  type sendUnaryData,
  status,
  type UntypedServiceImplementation,
} from '@grpc/grpc-js';
import type { Clock, Logger } from '@lateen/kernel';
import type { CallContext, Unary } from './call-context.ts';
import { InFlight, type InFlightKey } from './in-flight.ts';
import { redacted } from './redact.ts';
import { toWireError } from './status-codes.ts';

/** The promise form of a generated `XServer` interface. A method that is left out answers UNIMPLEMENTED. */
export type ServiceHandlers<Server> = {
  [Method in keyof Server as string extends Method ? never : Method]?: Server[Method] extends handleUnaryCall<
    infer Request,
    infer Response
  >
    ? Unary<Request, Response>
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
  /** How long a call waits for another one on the same volume before it is answered ABORTED. */
  busyWaitMs?: number;
  /** Bound on a call whose caller gave no deadline. */
  callMsMax?: number;
}

/** Longer than a mount, an unmount or a reflink; shorter than the first backoff after a failure hurts. */
const busyWaitMsDefault = 2_000;

/** Kubelet and the sidecars give up after 2 to 3 minutes; a caller without a deadline is not waited for longer than this. */
const callMsMaxDefault = 10 * 60_000;

/** Binds promise handlers to a generated service: logging, deadlines, one call per volume, errors to statuses. */
export function makeService<Server>(
  definition: ServiceDefinition,
  handlers: ServiceHandlers<Server>,
  options: ServiceOptions,
): Service {
  const inFlight = options.inFlight ?? new InFlight();
  const implementation: UntypedServiceImplementation = {};
  for (const [method, handler] of Object.entries(handlers) as [string, Unary<unknown, unknown>][]) {
    implementation[method] = (call: ServerUnaryCall<unknown, unknown>, reply: sendUnaryData<unknown>) => {
      void answer(method, handler, call, { ...options, inFlight }).then(
        (response) => reply(null, response),
        (error: unknown) => reply(toWireError(error)),
      );
    };
  }
  return { definition, implementation };
}

async function answer(
  method: string,
  handler: Unary<unknown, unknown>,
  call: ServerUnaryCall<unknown, unknown>,
  options: ServiceOptions & { inFlight: InFlight },
): Promise<unknown> {
  const log = options.log.child({ method });
  const startedMs = options.clock.monotonicMs();
  const tookMs = () => Math.round(options.clock.monotonicMs() - startedMs);
  log.debug({ request: redacted(call.request) }, 'call');
  try {
    const context: CallContext = { signal: signalOf(call, options), log };
    const keys = options.keysOf?.(method, call.request) ?? [];
    const waitMs = options.busyWaitMs ?? busyWaitMsDefault;
    using _held = await options.inFlight.enterWithin(keys, { waitMs, clock: options.clock, signal: context.signal });
    const response = await handler(call.request, context);
    log.debug({ tookMs: tookMs() }, 'answered');
    return response;
  } catch (error) {
    const { code, details } = toWireError(error);
    log.warn({ status: status[code], details, tookMs: tookMs() }, 'call failed');
    throw error;
  }
}

function signalOf(call: ServerUnaryCall<unknown, unknown>, options: ServiceOptions): AbortSignal {
  const gone = new AbortController();
  const deadline = call.getDeadline();
  const deadlineMs = deadline instanceof Date ? deadline.getTime() : deadline;
  call.on('cancelled', () => {
    const late = options.clock.now() >= deadlineMs;
    gone.abort(
      new DOMException(
        late ? 'the deadline of the call has passed' : 'the caller went away',
        late ? 'TimeoutError' : 'AbortError',
      ),
    );
  });
  return AbortSignal.any([
    gone.signal,
    options.stopping,
    options.clock.deadline(options.callMsMax ?? callMsMaxDefault),
  ]);
}
