import { createHash } from 'node:crypto';
import { type Clock, orAborted } from '@lateen/kernel';
import { listings } from '../reading/listings.ts';
import type { StorageReader } from '../reading/storage-reader.ts';
import { wholeCollection } from '../routes/collection-routes.ts';
import { streamLimits } from './stream-limits.ts';

/** A message, as all clients of a stream share it. */
export interface StreamBody {
  /** The count of changes that it has; there may be more by now. */
  readonly version: number;
  readonly bytes: Buffer;
  /** Two bodies with the same digest are the same. */
  readonly digest: string;
}

/** The changes of one collection, while somebody follows it. */
interface Followed {
  clients: number;
  /** Counts the changes. */
  version: number;
  next: PromiseWithResolvers<void>;
  readonly end: () => void;
}

/** Collections that are followed: who waits is woken by each change, all of them, and a body is made once for all. */
export class SharedBodies {
  readonly #reader: StorageReader;
  readonly #followed = new Map<string, Followed>();
  readonly #clock: Pick<Clock, 'monotonicMs'>;
  /** With the time until which it is told again, whatever has changed. */
  readonly #bodies = new Map<string, { readonly body: StreamBody; readonly restsUntilMs: number }>();

  constructor(reader: StorageReader, clock: Pick<Clock, 'monotonicMs'>) {
    this.#reader = reader;
    this.#clock = clock;
  }

  /** Begins to follow a collection; call what it returns to end that. */
  follow(collection: string): () => void {
    const known = this.#followed.get(collection);
    const followed = known ?? this.#begin(collection);
    followed.clients += 1;
    return () => {
      followed.clients -= 1;
      if (followed.clients > 0) return;
      followed.end();
      this.#followed.delete(collection);
    };
  }

  /** Resolves when there were changes since that count. @throws the signal's reason */
  async changed(collection: string, since: number, signal: AbortSignal): Promise<void> {
    const followed = this.#of(collection);
    if (followed.version === since) await orAborted(followed.next.promise, signal);
  }

  /**
   * The collection, with links that begin with `base`: as it is now, or as it was a moment ago where making it takes long, so that a large collection that changes all the
   * time takes a bounded share of the processor, however many follow it.
   */
  body(collection: string, base: string): StreamBody {
    const { version } = this.#of(collection);
    const key = `${collection} ${base}`;
    const known = this.#bodies.get(key);
    const beganMs = this.#clock.monotonicMs();
    if (known !== undefined && (known.body.version === version || beganMs < known.restsUntilMs)) return known.body;
    const listing = listings[collection];
    if (listing === undefined) throw new RangeError(`there is no collection ${collection}`);
    const bytes = Buffer.from(JSON.stringify(wholeCollection(collection, listing, this.#reader, base)));
    const body = { version, bytes, digest: createHash('sha256').update(bytes).digest('base64') };
    const endedMs = this.#clock.monotonicMs();
    const restMs = Math.min((endedMs - beganMs) * streamLimits.restFactor, streamLimits.periodMsMax);
    this.#bodies.delete(key);
    this.#bodies.set(key, { body, restsUntilMs: endedMs + restMs });
    const [oldest] = this.#bodies.keys();
    if (this.#bodies.size > streamLimits.bodiesMax && oldest !== undefined) this.#bodies.delete(oldest);
    return body;
  }

  #of(collection: string): Followed {
    const followed = this.#followed.get(collection);
    if (followed === undefined) throw new RangeError(`nobody follows ${collection}`);
    return followed;
  }

  #begin(collection: string): Followed {
    const followed: Followed = {
      clients: 0,
      version: 0,
      next: Promise.withResolvers(),
      end: () => {
        for (const end of ends) end();
        for (const key of this.#bodies.keys()) if (key.startsWith(`${collection} `)) this.#bodies.delete(key);
      },
    };
    const changed = () => {
      followed.version += 1;
      followed.next.resolve();
      followed.next = Promise.withResolvers();
    };
    const ends = (listings[collection]?.kinds ?? []).map((kind) => this.#reader.onChange(kind, changed));
    this.#followed.set(collection, followed);
    return followed;
  }
}
