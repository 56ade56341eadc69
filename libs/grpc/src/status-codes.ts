import { status } from '@grpc/grpc-js';
import { describeError, isAppError } from '@lateen/errors';

/** What goes over the wire for an error. */
export interface WireError {
  code: status;
  details: string;
}

/** grpc-js puts details into an HTTP/2 header; kubelet and the sidecars copy them into Events. */
export const detailsCharactersMax = 2_000;

/**
 * The gRPC status of an error. An `AppError` whose code is a status name (`NOT_FOUND`, `ABORTED` ...) keeps it, an
 * abort is DEADLINE_EXCEEDED or CANCELLED, everything else is INTERNAL. Pure.
 */
export function toWireError(error: unknown): WireError {
  const details = describeError(error).slice(0, detailsCharactersMax);
  return { code: statusOf(error), details };
}

function statusOf(error: unknown): status {
  if (isAppError(error)) {
    const named = status[error.code as keyof typeof status];
    return typeof named === 'number' && named !== status.OK ? named : status.INTERNAL;
  }
  if (error instanceof Error && error.name === 'TimeoutError') return status.DEADLINE_EXCEEDED;
  if (error instanceof Error && error.name === 'AbortError') return status.CANCELLED;
  return status.INTERNAL;
}
