import { keyText, type ObjectKey } from '@lateen/kube';

/**
 * Requests that wait for a Job, by repository. The creator of a request adds it again at each check, so that nothing is lost with
 * the process.
 */
export class ForgetQueue {
  readonly #waiting = new Map<string, Set<string>>();
  readonly #wake: (repository: string) => void;

  constructor(wake: (repository: string) => void) {
    this.#wake = wake;
  }

  ask(repository: ObjectKey, request: string): void {
    const key = keyText(repository);
    const waiting = this.#waiting.get(key) ?? new Set();
    if (waiting.has(request)) return;
    this.#waiting.set(key, waiting.add(request));
    this.#wake(key);
  }

  /** Those that have waited longest. */
  first(repository: ObjectKey, max: number): string[] {
    return [...(this.#waiting.get(keyText(repository)) ?? [])].slice(0, max);
  }

  /** They have got a Job, or need none any more. */
  leave(repository: ObjectKey, requests: Iterable<string>): void {
    const key = keyText(repository);
    const waiting = this.#waiting.get(key);
    for (const request of requests) waiting?.delete(request);
    if (waiting?.size === 0) this.#waiting.delete(key);
  }
}
