import type { Deadline } from '@grpc/grpc-js';
import type { Clock } from '@lateen/kernel';

/** What a call with one answer and one with a stream have in common. */
export interface IncomingCall {
  getDeadline(): Deadline;
  on(event: 'cancelled', told: () => void): unknown;
}

/** Aborts when the caller goes away, its deadline or `callMsMax` has passed, or the server is forced to stop. */
export function signalOf(
  call: IncomingCall,
  callMsMax: number | undefined,
  { clock, stopping }: { clock: Clock; stopping: AbortSignal },
): AbortSignal {
  const gone = new AbortController();
  const deadline = call.getDeadline();
  const deadlineMs = deadline instanceof Date ? deadline.getTime() : deadline;
  call.on('cancelled', () => {
    const late = clock.now() >= deadlineMs;
    gone.abort(
      new DOMException(
        late ? 'the deadline of the call has passed' : 'the caller went away',
        late ? 'TimeoutError' : 'AbortError',
      ),
    );
  });
  return AbortSignal.any([gone.signal, stopping, ...(callMsMax === undefined ? [] : [clock.deadline(callMsMax)])]);
}
