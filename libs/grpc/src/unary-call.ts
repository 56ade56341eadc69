import type { ServiceError } from '@grpc/grpc-js';
import type { Begin, CallOptions } from './client.ts';

/** One request, one answer. @throws the signal's reason on abort, else what `fails` makes of the status */
export function unaryCall(
  begin: Begin,
  request: unknown,
  { signal, deadlineMs }: CallOptions,
  fails: (error: ServiceError) => unknown,
): Promise<unknown> {
  signal.throwIfAborted();
  return new Promise((resolve, reject) => {
    const deadline = deadlineMs === undefined ? {} : { deadline: deadlineMs };
    const running = begin(request, deadline, (error, response) => {
      signal.removeEventListener('abort', cancel);
      if (error === null) resolve(response);
      else reject(signal.aborted ? signal.reason : fails(error));
    });
    const cancel = () => running.cancel();
    signal.addEventListener('abort', cancel, { once: true });
  });
}
