import { AppError } from '@lateen/errors';
import type { ValidatedStatus } from './location-status.ts';

/** What this process knows of a location beside its object; lost on a restart without harm. */
export interface Remembered {
  /** When it was first seen. */
  seenMs: number;
  /** `validationSubject` of what was last validated; of what was first seen, before that. */
  subject: string;
  /** The versions of its Secrets at that time, by `namespace/name`; a Secret that was not read is missing. */
  versions: Map<string, string>;
  /** The last validation of this process: when, and what it wrote. */
  validated?: { atMs: number; status: ValidatedStatus };
  /** `validationSubject` of the location when it did not answer promptly. */
  slow?: string;
  /** The last warning about its validation frequency. */
  warned?: string;
}

/** What is remembered of all locations by key, and which of the slow ones are being validated. Bounded by what exists. */
export class LocationMemory {
  readonly #remembered = new Map<string, Remembered>();
  readonly #attempts = new Map<string, { subject: string; stop: AbortController }>();

  of(key: string, subject: string, nowMs: number): Remembered {
    const known = this.#remembered.get(key) ?? { seenMs: nowMs, subject, versions: new Map() };
    this.#remembered.set(key, known);
    return known;
  }

  /** Locations that did not answer promptly. */
  get slow(): number {
    return [...this.#remembered.values()].filter(({ slow }) => slow !== undefined).length;
  }

  forget(key: string): void {
    this.#remembered.delete(key);
    this.supersede(key, '');
  }

  /** A patient validation of this begins; the signal aborts when it is of no use any more. */
  begin(key: string, subject: string): AbortSignal {
    const stop = new AbortController();
    this.#attempts.set(key, { subject, stop });
    return stop.signal;
  }

  end(key: string): void {
    this.#attempts.delete(key);
  }

  /** This is what is to be validated now: a patient validation of something else is given up. */
  supersede(key: string, subject: string): void {
    const attempt = this.#attempts.get(key);
    if (attempt === undefined || attempt.subject === subject) return;
    attempt.stop.abort(new AppError('LOCATION_CHANGED', 'the location has changed', { retry: 'soon' }));
  }
}
