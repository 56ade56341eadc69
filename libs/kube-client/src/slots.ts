import { AppError } from '@lateen/errors';

export interface Slots {
  /**
   * Waits for a free slot, first come first served; call what it resolves to exactly once when done.
   * @throws KUBE_TOO_MANY_REQUESTS when too many wait already; the signal's reason on abort
   */
  take(signal?: AbortSignal): Promise<() => void>;
}

/** A bounded number of holders and a bounded queue for it. */
export function slots(limits: { name: string; slotsMax: number; waitingMax: number }): Slots {
  let free = limits.slotsMax;
  const waiting = new Set<() => void>();

  const release = () => {
    const [next] = waiting;
    if (next === undefined) free++;
    else {
      waiting.delete(next);
      next();
    }
  };
  /** Guards against a second release, which would hand out a slot that does not exist. */
  const once = () => {
    let released = false;
    return () => {
      if (released) return;
      released = true;
      release();
    };
  };
  return {
    take: (signal) =>
      new Promise((resolve, reject) => {
        if (signal?.aborted) return reject(signal.reason);
        if (free > 0) {
          free--;
          return resolve(once());
        }
        if (waiting.size >= limits.waitingMax) return reject(full(limits));
        const start = () => {
          signal?.removeEventListener('abort', leave);
          resolve(once());
        };
        const leave = () => {
          waiting.delete(start);
          reject(signal?.reason);
        };
        waiting.add(start);
        signal?.addEventListener('abort', leave, { once: true });
      }),
  };
}

function full({ name, waitingMax }: { name: string; waitingMax: number }): AppError {
  return new AppError('KUBE_TOO_MANY_REQUESTS', `${waitingMax} API calls of priority ${name} are waiting already`, {
    retry: 'later',
    nextStep: 'Lower the concurrency of the caller',
  });
}
