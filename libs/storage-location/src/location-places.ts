import { Places } from '@lateen/kernel';

/** Requests for one location that are worked on at the same time: one that hangs leaves most workers to the others. */
export const placesPerLocation = 4;

/** A semaphore of requests with a number of slots for each location; in order of request. Memory: what holds a place or waits for one. */
export class LocationPlaces {
  readonly #wake: (request: string) => void;
  readonly #max: number;
  readonly #byLocation = new Map<string, Places>();
  readonly #locationOf = new Map<string, string>();

  /** @param wake called once with a request that waited and has a place now */
  constructor(wake: (request: string) => void, max: number = placesPerLocation) {
    this.#wake = wake;
    this.#max = max;
  }

  /** True when the request has a place of the location; otherwise it waits until it is woken. */
  tryTake(location: string, request: string): boolean {
    // Deleted and made again with another target, it would keep a place of the location before.
    if (this.#locationOf.get(request) !== location) this.release(request);
    const places = this.#byLocation.get(location) ?? new Places(this.#max);
    this.#byLocation.set(location, places);
    this.#locationOf.set(request, location);
    return places.tryTake(request, undefined, () => this.#wake(request));
  }

  /** Releases the request's slot, or its position in the queue. Safe to repeat. */
  release(request: string): void {
    const location = this.#locationOf.get(request);
    if (location === undefined) return;
    this.#locationOf.delete(request);
    const places = this.#byLocation.get(location);
    places?.release(request);
    if (places?.taken === 0 && places.waiting === 0) this.#byLocation.delete(location);
  }
}
