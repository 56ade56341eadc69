/** A controller that follows a parent signal without leaving a listener on it once {@link release} was called. */
export interface FollowingController {
  signal: AbortSignal;
  abort(reason: unknown): void;
  release(): void;
}

/**
 * `AbortSignal.any` for one parent with a definite end: process-wide signals live long and see many calls, so the
 * listener must go when the call ends.
 */
export function followSignal(parent: AbortSignal | undefined): FollowingController {
  const own = new AbortController();
  const follow = () => own.abort(parent?.reason);
  if (parent?.aborted) follow();
  parent?.addEventListener('abort', follow, { once: true });
  return {
    signal: own.signal,
    abort: (reason) => own.abort(reason),
    release: () => parent?.removeEventListener('abort', follow),
  };
}
