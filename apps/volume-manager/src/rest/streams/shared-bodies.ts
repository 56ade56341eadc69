import { createHash } from 'node:crypto';
import { type Clock, orAborted } from '@lateen/kernel';
import { listings } from '../reading/listings.ts';
import type { StorageReader } from '../reading/storage-reader.ts';
import { wholeCollection } from '../routes/collection-routes.ts';
import { streamLimits } from './stream-limits.ts';

/** A message that all clients of a stream share. */
export interface StreamBody {
  /** The change counter at which it was made; there may be newer changes. */
  readonly version: number;
  readonly bytes: Buffer;
  /** Two bodies with the same digest are the same. */
  readonly digest: string;
}

/** The change counter of one collection that clients follow. */
interface Followed {
  clients: number;
  /** Counts the changes. */
  version: number;
  next: PromiseWithResolvers<void>;
  readonly end: () => void;
}

/** Collections that clients follow: each change wakes all waiting streams, and one body is made for all of them. */
export class SharedBodies {
  readonly #reader: StorageReader;
  readonly #followed = new Map<string, Followed>();
  readonly #clock: Pick<Clock, 'monotonicMs'>;
  /** Each body with the time until which it is reused, even after a change. */
  readonly #bodies = new Map<string, { readonly body: StreamBody; readonly restsUntilMs: number }>();

  constructor(reader: StorageReader, clock: Pick<Clock, 'monotonicMs'>) {
    this.#reader = reader;
    this.#clock = clock;
  }

  /** Begins to follow a collection; the returned function ends it. */
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

  /** Resolves when there were changes after that count. @throws the signal's reason */
  async changed(collection: string, since: number, signal: AbortSignal): Promise<void> {
    const followed = this.#of(collection);
    if (followed.version === since) await orAborted(followed.next.promise, signal);
  }

  /**
   * The collection, with links that begin with `base`: the present state, or a slightly older one when making the body is slow. So a large collection
   * that changes all the time uses a bounded share of the CPU, however many clients follow it.
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
