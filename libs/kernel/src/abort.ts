interface Waiter {
  fulfilled(value: unknown): void;
  rejected(error: unknown): void;
}

/** Who waits for a promise at the moment, by promise: each has one reaction of ours, however often it is waited for. */
const waiters = new WeakMap<Promise<unknown>, Set<Waiter>>();

/**
 * The promise's outcome, or the signal's reason when that aborts first. Nothing of the call outlives it, whichever of the two
 * lives longer: a promise cannot be told to forget who waits for it, so `Promise.race` in a loop holds all that it has ever
 * returned for as long as one of its promises is pending. An outcome that nobody waits for any more is no unhandled
 * rejection.
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

/** Resolves when the promise has settled, well or badly, or the signal has aborted. Holds nothing, like {@link orAborted}. */
export async function settledOrAborted(promise: Promise<unknown>, signal: AbortSignal): Promise<void> {
  await orAborted(promise, signal).catch(() => {});
}

/** The promise's outcome, or undefined when the signal aborts first. Holds nothing, like {@link orAborted}. */
export async function unlessAborted<T>(promise: Promise<T>, signal: AbortSignal): Promise<T | undefined> {
  try {
    return await orAborted(promise, signal);
  } catch (error) {
    if (signal.aborted) return undefined;
    throw error;
  }
}

/** Returns what takes the waiter away again. */
function join(promise: Promise<unknown>, waiter: Waiter): () => void {
  const joined = waiters.get(promise) ?? newlyWaitedFor(promise);
  joined.add(waiter);
  return () => void joined.delete(waiter);
}

function newlyWaitedFor(promise: Promise<unknown>): Set<Waiter> {
  const joined = new Set<Waiter>();
  waiters.set(promise, joined);
  const settle = (tell: (waiter: Waiter) => void) => {
    // Who comes later needs a reaction of its own: this one is spent.
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
