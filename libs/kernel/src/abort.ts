interface Waiter {
  fulfilled(value: unknown): void;
  rejected(error: unknown): void;
}

/** The present waiters of each promise: each promise has one reaction of ours, however often it is awaited. */
const waiters = new WeakMap<Promise<unknown>, Set<Waiter>>();

/**
 * The promise's outcome, or the signal's reason when that aborts first. The call leaves nothing behind, whichever of the two lives longer: a reaction
 * cannot be removed from a promise, so `Promise.race` in a loop keeps everything it has ever returned as long as one of its promises is pending. A
 * rejection that is no longer awaited is not reported as unhandled.
 */
export function orAborted<T>(promise: Promise<T>, signal: AbortSignal | undefined): Promise<T> {
  if (signal === undefined) return promise;
  return new Promise<T>((resolve, reject) => {
    const end = () => signal.removeEventListener('abort', onAbort);
    const leave = join(promise, {
      fulfilled: (value) => {
        end();
        resolve(value as T);
      },
      rejected: (error) => {
        end();
        reject(error);
      },
    });
    const onAbort = () => {
      leave();
      reject(signal.reason);
    };
    if (signal.aborted) onAbort();
    else signal.addEventListener('abort', onAbort, { once: true });
  });
}

/** Resolves when the promise has settled, either way, or the signal has aborted. Leaves nothing behind, like {@link orAborted}. */
export async function settledOrAborted(promise: Promise<unknown>, signal: AbortSignal): Promise<void> {
  await orAborted(promise, signal).catch(() => {});
}

/** The promise's outcome, or undefined when the signal aborts first. Leaves nothing behind, like {@link orAborted}. */
export async function unlessAborted<T>(promise: Promise<T>, signal: AbortSignal): Promise<T | undefined> {
  try {
    return await orAborted(promise, signal);
  } catch (error) {
    if (signal.aborted) return undefined;
    throw error;
  }
}

/** Adds a waiter; the returned function removes it. */
function join(promise: Promise<unknown>, waiter: Waiter): () => void {
  const joined = waiters.get(promise) ?? newlyWaitedFor(promise);
  joined.add(waiter);
  return () => void joined.delete(waiter);
}

function newlyWaitedFor(promise: Promise<unknown>): Set<Waiter> {
  const joined = new Set<Waiter>();
  waiters.set(promise, joined);
  const settle = (tell: (waiter: Waiter) => void) => {
    // A later waiter needs a new reaction: this one has run.
    waiters.delete(promise);
    for (const waiter of joined) tell(waiter);
    joined.clear();
  };
  promise.then(
    (value) => settle((waiter) => waiter.fulfilled(value)),
    (error) => settle((waiter) => waiter.rejected(error)),
  );
  return joined;
}
