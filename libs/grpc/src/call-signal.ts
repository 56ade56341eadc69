import type { Deadline } from '@grpc/grpc-js';
import { type Clock, type FollowingController, followSignals } from '@lateen/kernel';

/** What a call with one answer and one with a stream have in common. */
export interface IncomingCall {
  getDeadline(): Deadline;
  on(event: 'cancelled', told: () => void): unknown;
}

/**
 * Aborts when the caller disconnects, its deadline or `callMsMax` has passed, or the server is forced to stop; not after its release: grpc-js reports
 * the end of each call, also of an answered one.
 */
export function signalOf(
  call: IncomingCall,
  callMsMax: number | undefined,
  { clock, stopping }: { clock: Clock; stopping: AbortSignal },
): FollowingController {
  const isBounded = callMsMax !== undefined && Number.isFinite(callMsMax);
  const following = followSignals(stopping, isBounded ? clock.deadline(callMsMax) : undefined);
  let released = false;
  call.on('cancelled', () => {
    if (!released) following.abort(goneReason(call, clock));
  });
  const release = () => {
    released = true;
    following.release();
  };
  return { ...following, release };
}

function goneReason(call: IncomingCall, clock: Clock): DOMException {
  const deadline = call.getDeadline();
  const late = clock.now() >= (deadline instanceof Date ? deadline.getTime() : deadline);
  return late
    ? new DOMException('the deadline of the call has passed', 'TimeoutError')
    : new DOMException('the caller went away', 'AbortError');
}
