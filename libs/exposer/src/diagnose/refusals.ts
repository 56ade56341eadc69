import { isAppError } from '@lateen/errors';
import { isConflict } from '@lateen/kube';
import type { ExposeOwner } from '../owner.ts';
import { explainRefusal } from './explain-refusal.ts';
import type { Finding } from './finding.ts';

/** The most owners whose last refusal is kept; the oldest is dropped first. More than the exposures that run at the same time. */
const ownersMax = 256;

/**
 * The newest refusal of the API server per exposure. A refusal that may pass (a webhook that does not answer, a server that is
 * away) is retried until the prepare timeout; without this record, its reason would only be in the log.
 */
export class Refusals {
  readonly #byUid = new Map<string, Finding>();

  /** Runs a part of an exposure. @throws what `work` throws, with a next step if one is known */
  async during<T>(owner: ExposeOwner, work: () => Promise<T>): Promise<T> {
    try {
      const result = await work();
      this.#byUid.delete(owner.uid);
      return result;
    } catch (error) {
      const explained = explainRefusal(error);
      this.#note(owner, explained);
      throw explained;
    }
  }

  of(owner: ExposeOwner): Finding | undefined {
    return this.#byUid.get(owner.uid);
  }

  forget(owner: ExposeOwner): void {
    this.#byUid.delete(owner.uid);
  }

  #note(owner: ExposeOwner, error: unknown): void {
    // A conflict only means that another writer was faster.
    if (!isAppError(error) || !error.code.startsWith('KUBE_') || isConflict(error)) return;
    this.#byUid.delete(owner.uid);
    this.#byUid.set(owner.uid, { cause: error.message, nextStep: error.nextStep });
    const [oldest] = this.#byUid.keys();
    if (this.#byUid.size > ownersMax && oldest !== undefined) this.#byUid.delete(oldest);
  }
}
