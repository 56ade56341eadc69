import { Places } from './places.ts';

export interface Semaphore {
  /**
   * Waits for a free place, first come first served; the caller calls the returned function when it is done (a second call does nothing).
   * @throws the error of `full` when the queue is full; the signal's reason on abort
   */
  take(signal?: AbortSignal): Promise<() => void>;
}

export interface SemaphoreOptions {
  placesMax: number;
  waitingMax: number;
  /** Makes the error for a caller that does not fit into the queue. */
  full(): Error;
}

/** A semaphore: a bounded number of holders, and a bounded queue. */
export function semaphore({ placesMax, waitingMax, full }: SemaphoreOptions): Semaphore {
  const places = new Places(placesMax);
  let count = 0;
  return {
    take: (signal) =>
      new Promise((resolve, reject) => {
        if (signal?.aborted) return reject(signal.reason);
        if (places.taken >= placesMax && places.waiting >= waitingMax) return reject(full());
        const key = String(count++);
        const release = () => places.release(key);
        const onAbort = () => {
          release();
          reject(signal?.reason);
        };
        const isTaken = places.tryTake(key, undefined, () => {
          signal?.removeEventListener('abort', onAbort);
          resolve(release);
        });
        if (isTaken) resolve(release);
        else signal?.addEventListener('abort', onAbort, { once: true });
      }),
  };
}
